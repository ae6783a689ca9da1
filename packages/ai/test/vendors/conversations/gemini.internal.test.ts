/** Random conversations, at the double of `gemini`. */
import { testConversations } from "../test-conversations.internal.js";

testConversations("gemini");
