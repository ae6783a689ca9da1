/** Claude model families by thinking mode, as parts of their ids; see {@link claudeId}. */
import type { Model } from "../../types/model.js";

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

/**
 * Models with preserved thinking: a thinking block is valid only after the system prompt, the tools and the messages that
 * it was written after (platform.claude.com, "Preserved thinking"; docs.aws.amazon.com, Bedrock user guide, "Preserved
 * thinking", 2026-11).
 */
export const BOUND_THINKING_CLAUDE: readonly string[] = [
  "claude-fable-5-1",
  "claude-fable-5-2",
  "claude-opus-5-5",
  "claude-sonnet-5-5",
  "claude-haiku-5-5",
];

/**
 * Whether the model binds its thinking to everything before it. If the system prompt, the tools or an earlier message
 * change, the provider drops the thinking that follows, or rejects the request.
 */
export function bindsThinking({ id, name }: Pick<Model, "id" | "name">): boolean {
  const text = claudeId(`${id} ${name}`);
  return BOUND_THINKING_CLAUDE.some((family) => text.includes(family));
}

/** Normalizes an id or a name to the spelling of these lists: hosts write versions with dots, dashes and underscores. */
export function claudeId(text: string): string {
  return text.toLowerCase().replace(/[\s_.:]+/g, "-");
}
