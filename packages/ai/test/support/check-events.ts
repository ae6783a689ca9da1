/** Checks the guarantees of `types/event.ts` on the events of one response. */

import type { AssistantMessage, AssistantMessageEvent } from "pi-ai";
import { expect } from "vitest";

/** Checks order, indexes, deltas and the final message, and returns that message. */
export function checkEvents(events: readonly AssistantMessageEvent[]): AssistantMessage {
  const last = events.at(-1);
  if (last?.type !== "done" && last?.type !== "error") throw new Error(`The last event is ${last?.type}`);
  const final = last.type === "done" ? last.message : last.error;
  expect(last.reason).toBe(final.stopReason);
  expect(events.filter((event) => event.type === "done" || event.type === "error")).toHaveLength(1);
  if (events.length > 1) expect(events.filter((event) => event.type === "start")).toEqual([events[0]]);
  checkBlocks(events, final);
  checkPlain(final);
  return final;
}

interface SeenBlock {
  kind: string;
  deltas: string;
  end: AssistantMessageEvent | undefined;
}

function checkBlocks(events: readonly AssistantMessageEvent[], final: AssistantMessage): void {
  const blocks = new Map<number, SeenBlock>();
  for (const event of events) {
    if (!("contentIndex" in event)) continue;
    if (isAlone(event)) {
      checkLoneEvent(event, blocks);
      continue;
    }
    const [kind = "", phase] = event.type.split("_");
    const block = blocks.get(event.contentIndex);
    expect(event.partial.content[event.contentIndex]?.type.toLowerCase()).toBe(kind);
    if (phase === "start") {
      expect(block).toBeUndefined();
      expect(event.contentIndex).toBe(blocks.size);
      blocks.set(event.contentIndex, { kind, deltas: "", end: undefined });
      continue;
    }
    expect(block).toMatchObject({ kind, end: undefined });
    if (block && (event.type === "servertool_update" || "delta" in event)) block.deltas += event.delta ?? "";
    else if (block) block.end = event;
  }
  expect(blocks.size).toBe(final.content.length);
  for (const [index, block] of blocks) checkBlock(block, final.content[index]);
}

type LoneEvent = Extract<AssistantMessageEvent, { type: "citation" | "file_end" | "compaction_end" }>;

function isAlone(event: AssistantMessageEvent): event is LoneEvent {
  return event.type === "citation" || event.type === "file_end" || event.type === "compaction_end";
}

/** An event that is the only one of its block, or that belongs to a text that may have ended. */
function checkLoneEvent(event: LoneEvent, blocks: Map<number, SeenBlock>): void {
  const { contentIndex, partial } = event;
  if (event.type === "citation") {
    expect(partial.content[contentIndex]).toMatchObject({ type: "text" });
    return;
  }
  expect(contentIndex).toBe(blocks.size);
  blocks.set(contentIndex, { kind: event.type, deltas: "", end: event });
}

function checkBlock({ deltas, end }: SeenBlock, content: AssistantMessage["content"][number] | undefined): void {
  if (content?.type === "toolCall") {
    // A signature may arrive after the end of the tool call.
    const { thoughtSignature: _, ...call } = content;
    expect(end).toMatchObject({ type: "toolcall_end", toolCall: call });
    expect(content.id).not.toBe("");
    return;
  }
  if (content?.type === "serverTool") {
    expect(end).toMatchObject({ type: "servertool_end", serverTool: content });
    expect(content.id).not.toBe("");
    return;
  }
  if (content?.type !== "text" && content?.type !== "thinking") {
    expect(end).toMatchObject(
      content?.type === "compaction"
        ? { type: "compaction_end", compaction: content }
        : { type: "file_end", file: content },
    );
    return;
  }
  const text = content.type === "text" ? content.text : content.thinking;
  expect(deltas).toBe(text);
  expect(end).toMatchObject({ content: text });
}

/** Plain data: no accessors, and nothing that JSON or a clone would lose. */
function checkPlain(message: AssistantMessage): void {
  expect(structuredClone(message)).toEqual(message);
  const json = JSON.stringify(message);
  expect(JSON.stringify(JSON.parse(json))).toBe(json);
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const descriptor of Object.values(Object.getOwnPropertyDescriptors(value))) {
      expect(descriptor.get).toBeUndefined();
      visit(descriptor.value);
    }
  };
  visit(message);
}
