/** Random conversations, at the double of `openai-responses`. */
import { testConversations } from "../test-conversations.internal.js";

testConversations("openai-responses");
