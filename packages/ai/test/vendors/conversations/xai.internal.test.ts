/** Random conversations, at the double of `xai`. */
import { testConversations } from "../test-conversations.internal.js";

testConversations("xai");
