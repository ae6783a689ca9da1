/** The steps of a compaction that need no model: what may be cleared, where to cut, and what that would leave. */
import type { AgentMessage } from "../types/message.js";
import type { CompactionFacts } from "./compaction-message.js";
import { isCompactionMessage } from "./compaction-message.js";
import { clearMessage } from "./context-view.js";
import { chooseCut, startOfTail } from "./cut-points.js";
import { tokensOf } from "./token-meter.js";

/** What requests leave out, by positions of the transcript. */
export type Extent = Pick<CompactionFacts, "replaced" | "cleared">;

/** The tokens of each message as requests see it; 0 for those that they leave out. */
export function tokensByPosition(
  messages: readonly AgentMessage[],
  { replaced, cleared }: Extent,
  scale: number,
): number[] {
  return messages.map((message, position) => {
    if (position < replaced || isCompactionMessage(message)) return 0;
    return tokensOf(position < cleared ? clearMessage(message) : message) * scale;
  });
}

/** The tokens of a request without its summary. */
export function tokensOfExtent(messages: readonly AgentMessage[], extent: Extent, scale: number): number {
  return tokensByPosition(messages, extent, scale).reduce((sum, tokens) => sum + tokens, 0);
}

/** What a compaction has to reach. */
export interface Plan {
  messages: readonly AgentMessage[];
  /** The provider's count in relation to the estimate. */
  scale: number;
  /** The tokens that may be left. */
  goal: number;
  /** The tokens of the latest messages that stay as they are. */
  keep: number;
  /** Whether clearing old results is not enough. */
  mustSummarize: boolean;
}

/** What to leave out: old results if that is enough, else messages too, in at most two rounds. */
export function chooseExtent(plan: Plan, start: Extent, clear: boolean): Extent {
  const { messages, scale, goal, keep } = plan;
  const fits = (extent: Extent): boolean => tokensOfExtent(messages, extent, scale) <= goal;
  const light = clear ? clearOld(messages, start, keep, scale) : start;
  if (light.cleared > start.cleared && !plan.mustSummarize && fits(light)) return light;
  const replaced = replaceOld(messages, light, keep, scale) ?? light;
  if (fits(replaced)) return replaced;
  // Keeps only what must stay. More rounds would not find another cut.
  const last = replaceOld(messages, replaced, 0, scale) ?? replaced;
  return clear && !fits(last) ? clearOld(messages, last, 1, scale) : last;
}

/** Clears everything old except the last tokens. */
export function clearOld(messages: readonly AgentMessage[], extent: Extent, keep: number, scale: number): Extent {
  const start = startOfTail(tokensByPosition(messages, extent, scale), keep);
  return { ...extent, cleared: Math.max(extent.cleared, start) };
}

/** Replaces what is before the best cut. Undefined if there is no further cut. */
export function replaceOld(
  messages: readonly AgentMessage[],
  extent: Extent,
  keep: number,
  scale: number,
): Extent | undefined {
  const from = extent.replaced + 1;
  const cut = chooseCut(messages, { from, keep, tokens: tokensByPosition(messages, extent, scale) });
  return cut === undefined ? undefined : { replaced: cut, cleared: Math.max(extent.cleared, cut) };
}
