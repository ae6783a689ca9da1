/** Random conversations, at the double of `minimax`. */
import { HOST, testConversations } from "../test-conversations.internal.js";

testConversations("minimax", HOST);
