/** The families of Claude models that think in one way, as parts of their ids; see {@link claudeId}. */

/** Decide themselves how long to think (platform.claude.com, "Adaptive thinking", 2026-11). */
export const ADAPTIVE_CLAUDE: readonly string[] = ["opus-4-6", "sonnet-4-6"];

/** Adaptive as well; they refuse a thinking budget and a temperature, and know the effort `xhigh`. */
export const ADAPTIVE_ONLY_CLAUDE: readonly string[] = [
  "opus-4-7",
  "opus-4-8",
  "claude-opus-5",
  "claude-sonnet-5",
  "claude-haiku-5",
  "claude-fable",
  "claude-mythos",
];

/**
 * Refuse to be told not to think, and to be forced to call a tool (platform.claude.com, "Migrating to Claude Fable 5.1",
 * 2026-11).
 */
export const ALWAYS_THINKING_CLAUDE: readonly string[] = [
  "claude-fable",
  "claude-mythos",
  "claude-opus-5-5",
  "claude-sonnet-5-5",
];

/** An id or a name in the one spelling of the lists above: hosts write versions with dots, dashes and underscores. */
export function claudeId(text: string): string {
  return text.toLowerCase().replace(/[\s_.:]+/g, "-");
}
