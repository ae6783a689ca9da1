/** Whole answers of the Messages API. */
import type { WireEvent } from "../../driver/index.js";
import { isRecord } from "../../utils/is-object.js";

/** Returns the events of the stream of a `message`. The first event may hold the whole content. */
export function readWholeMessage(answer: object): WireEvent[] | undefined {
  const message: Record<string, unknown> = { ...answer };
  // Some servers answer with the text alone.
  if (typeof message["content"] === "string") message["content"] = [{ type: "text", text: message["content"] }];
  const { type = message["role"] === "assistant" ? "message" : undefined } = message;
  if (type !== "message" || !Array.isArray(message["content"])) return undefined;
  const { usage, stop_reason: stopReason } = message;
  const delta = { type: "message_delta", delta: { stop_reason: stopReason }, ...(isRecord(usage) ? { usage } : {}) };
  return [{ type: "message_start", message }, delta, { type: "message_stop" }];
}
