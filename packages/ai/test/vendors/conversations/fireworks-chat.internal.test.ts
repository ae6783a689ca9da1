/** Random conversations, at the double of `fireworks-chat`. */
import { HOST, testConversations } from "../test-conversations.internal.js";

testConversations("fireworks-chat", HOST);
