/** Random conversations, at the double of `deepseek`. */
import { testConversations } from "../test-conversations.internal.js";

testConversations("deepseek");
