/** Random conversations, at the double of `anthropic`. */
import { testConversations } from "../test-conversations.internal.js";

testConversations("anthropic");
