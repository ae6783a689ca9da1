/** Decides what a compaction clears, where it cuts, and how large the rest is. No model is needed for that. */
import type { Model } from "pi-ai";
import type { AgentMessage } from "../types/message.js";
import type { CompactionFacts } from "./compaction-message.js";
import { isCompactionMessage } from "./compaction-message.js";
import { clearMessage, isInstructions } from "./context-view.js";
import { chooseCut, startOfTail } from "./cut-points.js";
import { type Correction, tokensOf } from "./token-meter.js";

/** What a compaction leaves out of requests, as positions in the transcript. */
export type Extent = Pick<CompactionFacts, "replaced" | "cleared">;

/** How the tokens of a conversation are counted. */
export interface Measure extends Correction {
  /** The model in use. */
  model: Model;
  /** The position from which the provider reads the conversation, see `findServerCompaction`. */
  start: number;
}

/** Returns the tokens of each message in requests; 0 for a message that they leave out. */
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

/** Returns the tokens of a request, without those of the summary. */
export function tokensOfExtent(messages: readonly AgentMessage[], extent: Extent, measure: Measure): number {
  return tokensByPosition(messages, extent, measure).reduce((sum, tokens) => sum + tokens, measure.fixed);
}

/** A conversation, and what a compaction of it has to achieve. */
export interface Plan extends Measure {
  messages: readonly AgentMessage[];
  /** The most tokens that may be left. */
  goal: number;
  /** How many tokens of the latest messages should stay as they are. */
  keep: number;
  /** Whether to replace messages even if clearing old results would be enough. */
  mustSummarize: boolean;
}

/**
 * Chooses what to leave out: old results if that is enough, otherwise also messages, in at most two rounds.
 *
 * @param before what is left out already
 * @param clear whether old results may be cleared
 */
export function chooseExtent(plan: Plan, before: Extent, clear: boolean): Extent {
  const { messages, goal, keep } = plan;
  const fits = (extent: Extent): boolean => tokensOfExtent(messages, extent, plan) <= goal;
  const light = clear ? clearOld(messages, before, keep, plan) : before;
  if (light.cleared > before.cleared && !plan.mustSummarize && fits(light)) return light;
  const replaced = replaceOld(messages, light, keep, plan) ?? light;
  if (fits(replaced)) return replaced;
  // Keeps only the messages that cannot be cut. A further round would find no other cut.
  const last = replaceOld(messages, replaced, 0, plan) ?? replaced;
  return clear && !fits(last) ? clearOld(messages, last, 1, plan) : last;
}

/** Clears old results, if necessary up to the last message. Undefined if that is not enough. */
export function clearToFit(plan: Plan, extent: Extent): Extent | undefined {
  const { messages, goal, keep } = plan;
  return [keep, 1]
    .map((kept) => clearOld(messages, extent, kept, plan))
    .find((light) => light.cleared > extent.cleared && tokensOfExtent(messages, light, plan) <= goal);
}

/** Clears the messages before the last `keep` tokens. */
export function clearOld(messages: readonly AgentMessage[], extent: Extent, keep: number, measure: Measure): Extent {
  const end = startOfTail(tokensByPosition(messages, extent, measure), keep);
  return { ...extent, cleared: Math.max(extent.cleared, end) };
}

/** Replaces the messages before the best cut. Undefined if there is no cut after those that are replaced already. */
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
