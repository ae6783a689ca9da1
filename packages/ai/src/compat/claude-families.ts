/** Claude model families by thinking mode, as parts of their ids; see {@link claudeId}. */

/** Models with adaptive thinking (platform.claude.com, "Adaptive thinking", 2026-11). */
export const ADAPTIVE_CLAUDE: readonly string[] = ["opus-4-6", "sonnet-4-6"];

/** Models with adaptive thinking that reject a thinking budget and a temperature, and support the effort `xhigh`. */
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
 * Models that reject disabled thinking and forced tool calls (platform.claude.com, "Migrating to Claude Fable 5.1",
 * 2026-11).
 */
export const ALWAYS_THINKING_CLAUDE: readonly string[] = [
  "claude-fable",
  "claude-mythos",
  "claude-opus-5-5",
  "claude-sonnet-5-5",
];

/** Normalizes an id or a name to the spelling of these lists: hosts write versions with dots, dashes and underscores. */
export function claudeId(text: string): string {
  return text.toLowerCase().replace(/[\s_.:]+/g, "-");
}
