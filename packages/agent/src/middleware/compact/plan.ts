/** Decides what a compaction clears, where it cuts, and how large the rest is. No model is needed for that. */
import type { AssistantMessage, Message, Model } from "pi-ai";
import { isFailure } from "pi-ai/call";
import { isMark } from "../../pause/index.js";
import type { AgentMessage } from "../../types/message.js";
import { type CompactionFacts, clearMessage, isCompactionMessage, isInstructions } from "./context-view.js";
import { type Correction, tokensOf } from "./measure.js";

/** The messages that a compaction leaves out of requests, as positions in the transcript. */
export type Extent = Pick<CompactionFacts, "replaced" | "cleared">;

/** How the tokens of a conversation are counted. */
interface Measure extends Correction {
  /** The model in use. */
  model: Model;
  /** The position from which the provider reads the conversation, see `findServerCompaction`. */
  start: number;
}

/** Returns the tokens of each message in requests; 0 for a message that they leave out. */
function tokensByPosition(
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
  /** The most that may be left if only old results are cleared. */
  goalCleared: number;
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
  const { messages, goal, goalCleared, keep } = plan;
  const fits = (extent: Extent, most = goal): boolean => tokensOfExtent(messages, extent, plan) <= Math.min(goal, most);
  const light = clear ? clearOld(messages, before, keep, plan) : before;
  if (light.cleared > before.cleared && !plan.mustSummarize && fits(light, goalCleared)) return light;
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
function clearOld(messages: readonly AgentMessage[], extent: Extent, keep: number, measure: Measure): Extent {
  const end = startOfTail(tokensByPosition(messages, extent, measure), keep);
  return { ...extent, cleared: Math.max(extent.cleared, end) };
}

/** Replaces the messages before the best cut. Undefined if there is no cut after those that are replaced already. */
function replaceOld(
  messages: readonly AgentMessage[],
  extent: Extent,
  keep: number,
  measure: Measure,
): Extent | undefined {
  const from = Math.max(extent.replaced, measure.start) + 1;
  const cut = chooseCut(messages, { from, keep, tokens: tokensByPosition(messages, extent, measure) });
  return cut === undefined ? undefined : { replaced: cut, cleared: Math.max(extent.cleared, cut) };
}

/**
 * Returns at which positions the kept part of a conversation may begin: at a user message or a response, but not between a
 * tool call and its result, and not between an interrupted response and its continuation. Takes linear time.
 */
function findCutPoints(messages: readonly AgentMessage[]): boolean[] {
  const changes = countOpenCalls(messages);
  const points: boolean[] = [];
  let open = 0;
  let paused = false;
  for (const [position, message] of messages.entries()) {
    open += changes[position] ?? 0;
    const begins = message.role === "assistant" || (message.role === "user" && !isCompactionMessage(message));
    points.push(begins && open === 0 && !paused);
    if (isResponse(message)) paused = waitsForProvider(message);
    else if (message.role === "user" && !isCompactionMessage(message)) paused = false;
  }
  return points;
}

/**
 * Chooses where the kept part begins. All of it is cached again, so a user message that leaves from half of `keep` tokens to
 * all is best. Otherwise it has at least `keep`: from a user message on if it then has at most a quarter more, or else from
 * the last possible cut on. If there is none, it has fewer.
 *
 * @param from the first position that may be chosen
 * @param tokens the tokens of each message
 */
function chooseCut(
  messages: readonly AgentMessage[],
  { from, keep, tokens }: { from: number; keep: number; tokens: readonly number[] },
): number | undefined {
  const points = findCutPoints(messages);
  const wanted = startOfTail(tokens, keep);
  const isPoint = (position: number): boolean => points[position] === true;
  const isRequest = (position: number): boolean => isPoint(position) && messages[position]?.role === "user";
  const least = startOfTail(tokens, keep / 2);
  const most = Math.max(from, startOfTail(tokens, keep * 1.25));
  for (let position = Math.max(from, wanted + 1); position <= least; position++)
    if (isRequest(position)) return position;
  for (let position = wanted; position >= most; position--) if (isRequest(position)) return position;
  for (let position = wanted; position >= from; position--) if (isPoint(position)) return position;
  for (let position = Math.max(from, wanted + 1); position < messages.length; position++)
    if (isPoint(position)) return position;
  return undefined;
}

/** Returns the last position from which on the messages have at least `keep` tokens; 0 if all together have fewer. */
function startOfTail(tokens: readonly number[], keep: number): number {
  let sum = 0;
  for (let position = tokens.length - 1; position > 0; position--) {
    sum += tokens[position] ?? 0;
    if (sum >= keep) return position;
  }
  return 0;
}

/** Returns, for each position, how the number of calls without a result before that position changes there. */
function countOpenCalls(messages: readonly AgentMessage[]): number[] {
  const change = messages.map(() => 0);
  const waiting = new Map<string, number[]>();
  const block = (call: number, result: number): void => {
    // A cut at the result, or between the two, would separate them.
    change[call + 1] = (change[call + 1] ?? 0) + 1;
    if (result + 1 < change.length) change[result + 1] = (change[result + 1] ?? 0) - 1;
  };
  for (const [position, message] of messages.entries()) {
    // Calls of failed responses count, too: a cut must not leave their results without them.
    if (message.role === "assistant" && Array.isArray(message.content))
      for (const id of callsOf(message)) addCall(waiting, id, position);
    // The marks of a call that has paused come before its result.
    if (message.role !== "toolResult" || isMark(message)) continue;
    const call = waiting.get(message.toolCallId)?.pop();
    if (call !== undefined) block(call, position);
  }
  // Only calls of the latest response can still get a result.
  const latest = messages.findLastIndex((message) => message.role === "assistant" && !isFailure(message.stopReason));
  for (const calls of waiting.values()) if (calls.includes(latest)) block(latest, messages.length);
  return change;
}

/** A model may give several calls the same id. */
function addCall(waiting: Map<string, number[]>, id: string, position: number): void {
  const calls = waiting.get(id);
  if (calls) calls.push(position);
  else waiting.set(id, [position]);
}

/** Returns the ids of the blocks that need a result: tool calls, and server tools that wait for the application. */
function callsOf({ content }: AssistantMessage): string[] {
  return content.flatMap((block) =>
    block.type === "toolCall" || (block.type === "serverTool" && block.status === "waiting") ? [block.id] : [],
  );
}

/** Whether the next response continues this one, or has the result of a tool that the provider runs. */
function waitsForProvider({ stopReason, content }: AssistantMessage): boolean {
  return stopReason === "pause" || content.some((block) => block.type === "serverTool" && block.status === "running");
}

/** Whether a message is a response that requests contain: they leave out failed ones. */
function isResponse(message: AgentMessage | Message): message is AssistantMessage {
  if (message.role !== "assistant" || !Array.isArray(message.content)) return false;
  return !isFailure(message.stopReason);
}
