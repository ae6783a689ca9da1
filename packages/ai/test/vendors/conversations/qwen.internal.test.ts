/** Random conversations, at the double of `qwen`. */
import { HOST, testConversations } from "../test-conversations.internal.js";

testConversations("qwen", HOST);
