/** Whole answers of the Responses API. */
import type { WireEvent } from "../../driver/index.js";
import { isRecord } from "../../utils/is-object.js";
import { isText } from "../../utils/read-text.js";

type Fields = Record<string, unknown>;

/** The terminal events of other endings than a complete one. */
const TERMINAL_EVENTS: ReadonlyMap<unknown, string> = new Map([
  ["incomplete", "response.incomplete"],
  ["failed", "response.failed"],
  ["cancelled", "response.cancelled"],
]);

const UNFINISHED: ReadonlySet<unknown> = new Set(["queued", "in_progress"]);

/** Returns the events of the stream of a `response`. The last event holds the whole output. */
export function readWholeResponse(answer: object): WireEvent[] | undefined {
  const response: Fields = { ...answer };
  const { output, object, status, type } = response;
  if (type !== undefined || (object !== "response" && !Array.isArray(output))) return undefined;
  const items = Array.isArray(output) ? output.map(toItem) : [];
  // What the SDKs compute is all that some servers send.
  if (items.length === 0 && isText(response["output_text"]))
    items.push(toItem({ type: "message", content: response["output_text"] }));
  // Without `stream`, a request in the background is answered before it has begun.
  if (UNFINISHED.has(status) && items.length === 0) {
    const error = { message: `The server answered with a response that is not finished (${String(status)})` };
    return [{ type: "response.failed", response: { ...response, error } }];
  }
  const end = { type: TERMINAL_EVENTS.get(status) ?? "response.completed", response: { ...response, output: items } };
  return [...items.flatMap(readRefusal), end];
}

/** Some servers send the text of a message alone in place of its parts. */
function toItem(item: unknown): unknown {
  if (!isRecord(item) || item["type"] !== "message" || typeof item["content"] !== "string") return item;
  return { ...item, content: [{ type: "output_text", text: item["content"], annotations: [] }] };
}

/** A refusal is marked by an event of its own. */
function readRefusal(item: unknown, index: number): WireEvent[] {
  const [part, ...others]: unknown[] = isRecord(item) && Array.isArray(item["content"]) ? item["content"] : [];
  if (!isRecord(item) || !isRecord(part) || part["type"] !== "refusal" || others.length > 0) return [];
  const place = { output_index: index, item_id: item["id"], content_index: 0 };
  return [{ type: "response.refusal.done", ...place, refusal: part["refusal"] }];
}
