/** Random conversations, at the double of `lenient`. */
import { testConversations } from "../test-conversations.internal.js";

testConversations("lenient");
