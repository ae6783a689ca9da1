/** Random conversations, at the double of `azure`. */
import { testConversations } from "../test-conversations.internal.js";

testConversations("azure");
