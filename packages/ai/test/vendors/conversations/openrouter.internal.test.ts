/** Random conversations, at the double of `openrouter`. */
import { HOST, testConversations } from "../test-conversations.internal.js";

testConversations("openrouter", HOST);
