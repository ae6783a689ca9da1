/** The steps of a compaction that need no model: what may be cleared, where to cut, and what that would leave. */
import type { Model } from "pi-ai";
import type { AgentMessage } from "../types/message.js";
import type { CompactionFacts } from "./compaction-message.js";
import { isCompactionMessage } from "./compaction-message.js";
import { clearMessage, isInstructions } from "./context-view.js";
import { chooseCut, startOfTail } from "./cut-points.js";
import { type Correction, tokensOf } from "./token-meter.js";

/** What requests leave out, by positions of the transcript. */
export type Extent = Pick<CompactionFacts, "replaced" | "cleared">;

/** How tokens are counted. */
export interface Measure extends Correction {
  /** The model in use. */
  model: Model;
  /** The position from which the provider reads the conversation, see `findServerCompaction`. */
  start: number;
}

/** The tokens of each message as requests see it; 0 for those that they leave out. */
export function tokensByPosition(
  messages: readonly AgentMessage[],
  { replaced, cleared }: Extent,
  { model, scale, start }: Measure,
): number[] {
  return messages.map((message, position) => {
    if (isCompactionMessage(message)) return 0;
    if ((position < replaced || position < start) && !isInstructions(message)) return 0;
    return tokensOf(position < cleared ? clearMessage(message) : message, model) * scale;
  });
}

/** The tokens of a request without its summary. */
export function tokensOfExtent(messages: readonly AgentMessage[], extent: Extent, measure: Measure): number {
  return tokensByPosition(messages, extent, measure).reduce((sum, tokens) => sum + tokens, measure.fixed);
}

/** What a compaction has to reach. */
export interface Plan extends Measure {
  messages: readonly AgentMessage[];
  /** The tokens that may be left. */
  goal: number;
  /** The tokens of the latest messages that stay as they are. */
  keep: number;
  /** Whether clearing old results is not enough. */
  mustSummarize: boolean;
}

/** What to leave out: old results if that is enough, else messages too, in at most two rounds. */
export function chooseExtent(plan: Plan, start: Extent, clear: boolean): Extent {
  const { messages, goal, keep } = plan;
  const fits = (extent: Extent): boolean => tokensOfExtent(messages, extent, plan) <= goal;
  const light = clear ? clearOld(messages, start, keep, plan) : start;
  if (light.cleared > start.cleared && !plan.mustSummarize && fits(light)) return light;
  const replaced = replaceOld(messages, light, keep, plan) ?? light;
  if (fits(replaced)) return replaced;
  // Keeps only what must stay. More rounds would not find another cut.
  const last = replaceOld(messages, replaced, 0, plan) ?? replaced;
  return clear && !fits(last) ? clearOld(messages, last, 1, plan) : last;
}

/** Clears old results, those close to the end too if need be. Undefined if that is not enough. */
export function clearToFit(plan: Plan, extent: Extent): Extent | undefined {
  const { messages, goal, keep } = plan;
  return [keep, 1]
    .map((kept) => clearOld(messages, extent, kept, plan))
    .find((light) => light.cleared > extent.cleared && tokensOfExtent(messages, light, plan) <= goal);
}

/** Clears everything old except the last tokens. */
export function clearOld(messages: readonly AgentMessage[], extent: Extent, keep: number, measure: Measure): Extent {
  const end = startOfTail(tokensByPosition(messages, extent, measure), keep);
  return { ...extent, cleared: Math.max(extent.cleared, end) };
}

/** Replaces what is before the best cut. Undefined if there is no further cut. */
export function replaceOld(
  messages: readonly AgentMessage[],
  extent: Extent,
  keep: number,
  measure: Measure,
): Extent | undefined {
  const from = Math.max(extent.replaced, measure.start) + 1;
  const cut = chooseCut(messages, { from, keep, tokens: tokensByPosition(messages, extent, measure) });
  return cut === undefined ? undefined : { replaced: cut, cleared: Math.max(extent.cleared, cut) };
}
