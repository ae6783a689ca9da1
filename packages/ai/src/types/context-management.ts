/** Context management: the provider shortens a long conversation on its servers. */

/** How a provider summarises older messages. */
export interface ServerCompaction {
  /**
   * The tokens of the prompt at which the provider compacts it. Default: the provider's (150,000 at Anthropic); 80 % of the
   * model's window where the provider documents none (OpenAI). Anthropic takes 50,000 or more, OpenAI 1,000.
   */
  atTokens?: number | undefined;
  /** The instructions for the summary, instead of the provider's own. Anthropic only. */
  prompt?: string | undefined;
  /**
   * Whether the response ends after the compaction. It then has only the `compaction` block, and `stopReason` is `"pause"`:
   * messages can be added before the conversation is sent again. Default: false, so the response goes on. Anthropic only.
   */
  pause?: boolean | undefined;
}

/** How a provider leaves out old results of tools. */
export interface ClearToolResults {
  /** The tokens of the prompt at which the provider starts. Default: the provider's (100,000 at Anthropic). */
  atTokens?: number;
  /** How many of the latest tool calls keep their results. Default: the provider's (3 at Anthropic). */
  keep?: number;
  /** The names of tools whose results always stay. */
  exclude?: readonly string[];
}

/** How a provider leaves out old thinking. */
export interface ClearThinking {
  /** How many of the latest turns keep their thinking, or all of them. Default: the provider's. */
  keep?: number | "all" | undefined;
}

/**
 * How a provider shortens a conversation on its servers when it grows long. The transcript stays whole. What the provider or the
 * model does not have is left out of the request, and the diagnostic `context_management_option` of the response names it.
 */
export interface ContextManagement {
  /** Summarises older messages. The response then holds a `compaction` block, which replaces what came before it. */
  compact?: boolean | ServerCompaction | undefined;
  /** Leaves out old results of tools. The diagnostic `context_edits` of the response says what was left out. */
  clearToolResults?: boolean | ClearToolResults | undefined;
  /** Leaves out the thinking of older turns, also reported in `context_edits`. */
  clearThinking?: boolean | ClearThinking | undefined;
}
