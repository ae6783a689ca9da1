/** Finds where a conversation may be cut. */
import type { AssistantMessage, Message } from "pi-ai";
import { isFailure } from "pi-ai/call";
import type { AgentMessage } from "../types/message.js";
import { isCompactionMessage } from "./compaction-message.js";

/**
 * Returns at which positions the kept part of a conversation may begin: at a user message or a response, but not between a
 * tool call and its result, and not between a paused response and its continuation. Takes linear time.
 */
export function findCutPoints(messages: readonly AgentMessage[]): boolean[] {
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
 * Chooses where the kept part begins, so that it has at least `keep` tokens: at a user message if it then has at most one and
 * a half times as many, otherwise at the last possible cut. If there is none, it has fewer, from the first possible cut on.
 *
 * @param from the first position that may be chosen
 * @param tokens the tokens of each message
 */
export function chooseCut(
  messages: readonly AgentMessage[],
  { from, keep, tokens }: { from: number; keep: number; tokens: readonly number[] },
): number | undefined {
  const points = findCutPoints(messages);
  const wanted = startOfTail(tokens, keep);
  const isPoint = (position: number): boolean => points[position] === true;
  const lowest = Math.max(from, startOfTail(tokens, keep * 1.5));
  for (let position = wanted; position >= lowest; position--)
    if (isPoint(position) && messages[position]?.role === "user") return position;
  for (let position = wanted; position >= from; position--) if (isPoint(position)) return position;
  for (let position = Math.max(from, wanted + 1); position < messages.length; position++)
    if (isPoint(position)) return position;
  return undefined;
}

/** Returns the last position from which on the messages have at least `keep` tokens; 0 if all together have fewer. */
export function startOfTail(tokens: readonly number[], keep: number): number {
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
    if (message.role !== "toolResult") continue;
    const call = waiting.get(message.toolCallId)?.pop();
    if (call !== undefined) block(call, position);
  }
  // Only calls of the latest response can still get a result.
  const latest = messages.findLastIndex((message) => message.role === "assistant");
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
