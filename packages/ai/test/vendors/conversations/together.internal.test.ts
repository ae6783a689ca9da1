/** Random conversations, at the double of `together`. */
import { HOST, testConversations } from "../test-conversations.internal.js";

testConversations("together", HOST);
