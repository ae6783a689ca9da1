/** Random conversations, at the double of `fireworks`. */
import { HOST, testConversations } from "../test-conversations.internal.js";

testConversations("fireworks", HOST);
