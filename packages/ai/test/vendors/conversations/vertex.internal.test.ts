/** Random conversations, at the double of `vertex`. */
import { testConversations } from "../test-conversations.internal.js";

testConversations("vertex");
