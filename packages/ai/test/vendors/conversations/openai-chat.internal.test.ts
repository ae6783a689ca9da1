/** Random conversations, at the double of `openai-chat`. */
import { testConversations } from "../test-conversations.internal.js";

testConversations("openai-chat");
