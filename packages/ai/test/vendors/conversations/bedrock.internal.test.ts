/** Random conversations, at the double of `bedrock`. */
import { testConversations } from "../test-conversations.internal.js";

testConversations("bedrock");
