/** The texts of messages that are inserted because an api, or a chat template, demands a message at that place. */

/** The first user message, in a conversation that begins with the assistant. */
export const EARLIER_CONVERSATION = "(The conversation began earlier.)";
/** The assistant message between a tool result and a user message. */
export const RESULTS_READ = "I have processed the tool results.";
