/** Maps events of the Example API to operations on the sink. */

import type { WireMapping } from "../../../src/driver/index.js";
import { type MessageSink, tokenCount, wholeArguments } from "../../../src/message/index.js";
import type { Ending } from "../../../src/providers/chat-ending.js";
import { writeWireItems } from "../../../src/request/index.js";
import { createStreamError } from "../../../src/transport/index.js";
import { isRecord } from "../../../src/utils/is-object.js";

/** The fields that are read. A server may omit any of them, or send another type. */
interface WireEvent {
  type?: unknown;
  id?: unknown;
  index?: unknown;
  name?: unknown;
  text?: unknown;
  arguments?: unknown;
  reason?: unknown;
  part?: unknown;
  usage?: { input?: unknown; cached?: unknown; output?: unknown } | null;
  error?: unknown;
}

/** The values of `reason`. */
const ENDINGS: Readonly<Record<string, Ending>> = {
  stop: { reason: "stop" },
  length: { reason: "length" },
  tool_calls: { reason: "toolUse" },
  content_filter: { reason: "error", message: "The response was filtered", kind: "content_filter" },
};

/** @param provider named in errors */
export function createExampleApiMapping(provider: string): WireMapping {
  return (event, sink) => {
    const wire = event as WireEvent; // every field is optional, and its type is checked where it is read
    switch (wire.type) {
      case "start":
        sink.response({ responseId: textOf(wire.id) });
        return false;
      case "text":
      case "thinking":
        grow(wire.type, textOf(wire.text), sink);
        return false;
      case "tool_call":
        sink.open(`call:${String(wire.index)}`, { type: "toolCall", id: textOf(wire.id), name: textOf(wire.name) });
        return false;
      case "arguments":
        sink.append(`call:${String(wire.index)}`, wholeArguments(wire.arguments));
        return false;
      case "part":
        keepPart(wire.part, sink);
        return false;
      case "end":
        mapUsage(wire.usage, sink);
        stopWith(textOf(wire.reason), sink);
        return true;
      case "error":
        throw createStreamError(wire, provider);
      default:
        // A newer server may send events that do not exist yet.
        return false;
    }
  };
}

function grow(type: "text" | "thinking", delta: string, sink: MessageSink): void {
  if (delta === "") return;
  sink.ensure(type, { type });
  sink.append(type, delta);
}

/** A part of an unknown type is kept whole, and `messages.ts` sends it back. */
function keepPart(part: unknown, sink: MessageSink): void {
  if (!isRecord(part) || textOf(part["type"]) === "") return;
  const { type, ...output } = part;
  const key = `part:${sink.length}`;
  const signature = writeWireItems([{ item: part }]);
  sink.open(key, { type: "serverTool", name: textOf(type), status: "done", output, signature });
  sink.close(key);
}

/** The input of this api includes the cached tokens. */
function mapUsage(usage: WireEvent["usage"], sink: MessageSink): void {
  const cacheRead = tokenCount(usage?.cached) ?? 0;
  const prompt = tokenCount(usage?.input);
  const input = prompt === undefined ? undefined : Math.max(0, prompt - cacheRead);
  sink.usage({ input, output: tokenCount(usage?.output), cacheRead });
}

function stopWith(reason: string, sink: MessageSink): void {
  const ending = Object.hasOwn(ENDINGS, reason) ? ENDINGS[reason] : undefined;
  if (ending) sink.stop(ending.reason, ending.message, ending.kind);
  else sink.stop("error", `Unknown reason: ${reason}`, "protocol");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
