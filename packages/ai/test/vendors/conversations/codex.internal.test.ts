/** Random conversations, at the double of `codex`. */
import { HOST, testConversations } from "../test-conversations.internal.js";

testConversations("codex", HOST);
