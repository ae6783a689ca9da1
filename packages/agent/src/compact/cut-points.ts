/** Finds where a conversation may be cut. */
import type { AssistantMessage, Message } from "pi-ai";
import type { AgentMessage } from "../types/message.js";
import { isCompactionMessage } from "./compaction-message.js";

/**
 * The positions at which the kept part of a conversation may begin: at a user message or a response, never between a tool
 * call and its result, and never between a paused response and its continuation. Takes linear time.
 */
export function findCutPoints(messages: readonly AgentMessage[]): boolean[] {
  const blocked = blockedRanges(messages);
  const points: boolean[] = [];
  let open = 0;
  let paused = false;
  for (const [position, message] of messages.entries()) {
    open += blocked[position] ?? 0;
    const begins = message.role === "assistant" || (message.role === "user" && !isCompactionMessage(message));
    points.push(begins && open === 0 && !paused);
    if (isResponse(message)) paused = waitsForProvider(message);
    else if (message.role === "user" && !isCompactionMessage(message)) paused = false;
  }
  return points;
}

/**
 * Where the kept part should begin so that it has at least `keep` tokens: at a user message if one is near, else at a
 * response, else as late as a valid cut allows.
 *
 * @param from the first position at which a cut is of use
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

/** The last position from which the rest has at least so many tokens; 0 if all of it has fewer. */
export function startOfTail(tokens: readonly number[], keep: number): number {
  let sum = 0;
  for (let position = tokens.length - 1; position > 0; position--) {
    sum += tokens[position] ?? 0;
    if (sum >= keep) return position;
  }
  return 0;
}

/** At each position, by how much the number of calls changes whose result is there or later. */
function blockedRanges(messages: readonly AgentMessage[]): number[] {
  const change = messages.map(() => 0);
  const waiting = new Map<string, number[]>();
  const block = (call: number, result: number): void => {
    // Cuts after the call, up to and including the position of its result, would part them.
    change[call + 1] = (change[call + 1] ?? 0) + 1;
    if (result + 1 < change.length) change[result + 1] = (change[result + 1] ?? 0) - 1;
  };
  for (const [position, message] of messages.entries()) {
    // Those of failed responses too: the results would be left over.
    if (message.role === "assistant" && Array.isArray(message.content))
      for (const id of callsOf(message)) waiting.set(id, [...(waiting.get(id) ?? []), position]);
    if (message.role !== "toolResult") continue;
    const call = waiting.get(message.toolCallId)?.pop();
    if (call !== undefined) block(call, position);
  }
  // The results of the latest response may still come. Those of earlier ones never will.
  const latest = messages.findLastIndex((message) => message.role === "assistant");
  for (const calls of waiting.values()) if (calls.includes(latest)) block(latest, messages.length);
  return change;
}

/** The ids that need a result: of tool calls, and of server tools that wait for the application. */
function callsOf({ content }: AssistantMessage): string[] {
  return content.flatMap((block) =>
    block.type === "toolCall" || (block.type === "serverTool" && block.status === "waiting") ? [block.id] : [],
  );
}

/** Whether the next response continues this one or brings the result of a tool that the provider runs. */
function waitsForProvider({ stopReason, content }: AssistantMessage): boolean {
  return stopReason === "pause" || content.some((block) => block.type === "serverTool" && block.status === "running");
}

/** Failed responses are not sent. */
function isResponse(message: AgentMessage | Message): message is AssistantMessage {
  if (message.role !== "assistant" || !Array.isArray(message.content)) return false;
  return message.stopReason !== "error" && message.stopReason !== "aborted";
}
