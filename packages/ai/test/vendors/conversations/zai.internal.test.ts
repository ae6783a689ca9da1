/** Random conversations, at the double of `zai`. */
import { HOST, testConversations } from "../test-conversations.internal.js";

testConversations("zai", HOST);
