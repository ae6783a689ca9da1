/** Random conversations, at the double of `kimi`. */
import { testConversations } from "../test-conversations.internal.js";

testConversations("kimi");
