/** Random conversations, at the double of `groq`. */
import { testConversations } from "../test-conversations.internal.js";

testConversations("groq");
