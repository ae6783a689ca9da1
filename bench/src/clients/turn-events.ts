/** A model in memory: the events of one turn of an agent's run. */
import type { AssistantMessage, AssistantMessageEvent, Model, Usage } from "pi-ai";
import { benchModel } from "./bench-model.ts";

export const MODEL: Model = benchModel("anthropic-messages", "http://127.0.0.1:1");

const USAGE: Usage = {
  input: 10,
  output: 5,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 15,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** Tool calls, or a text after the last turn. */
export function turnEvents(turn: number, turns: number, calls: number): AssistantMessageEvent[] {
  const base: AssistantMessage = {
    role: "assistant",
    content: [],
    api: MODEL.api,
    provider: MODEL.provider,
    model: MODEL.id,
    usage: { ...USAGE },
    stopReason: "stop",
    timestamp: 1,
  };
  const events: AssistantMessageEvent[] = [{ type: "start", partial: base }];
  if (turn >= turns) {
    const content = "That is all.";
    const message: AssistantMessage = { ...base, content: [{ type: "text", text: content }] };
    events.push(
      { type: "text_start", contentIndex: 0, partial: message },
      { type: "text_delta", contentIndex: 0, delta: content, partial: message },
      { type: "text_end", contentIndex: 0, content, partial: message },
      { type: "done", reason: "stop", message },
    );
    return events;
  }
  const content = Array.from({ length: calls }, (_, index) => ({
    type: "toolCall" as const,
    id: `c${turn}-${index}`,
    name: "work",
    arguments: { step: turn },
  }));
  const message: AssistantMessage = { ...base, content, stopReason: "toolUse" };
  for (const [contentIndex, toolCall] of content.entries()) {
    events.push(
      { type: "toolcall_start", contentIndex, partial: message },
      { type: "toolcall_delta", contentIndex, delta: `{"step":${turn}}`, partial: message },
      { type: "toolcall_end", contentIndex, toolCall, partial: message },
    );
  }
  events.push({ type: "done", reason: "toolUse", message });
  return events;
}
