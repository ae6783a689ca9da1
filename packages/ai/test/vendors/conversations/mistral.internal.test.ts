/** Random conversations, at the double of `mistral`. */
import { testConversations } from "../test-conversations.internal.js";

testConversations("mistral");
