/** Random conversations, at the double of `cerebras`. */
import { HOST, testConversations } from "../test-conversations.internal.js";

testConversations("cerebras", HOST);
