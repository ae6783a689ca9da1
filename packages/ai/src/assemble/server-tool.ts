/** A server tool that is being assembled. */
import type { AssistantMessageEvent } from "../types/event.js";
import type { ServerToolContent } from "../types/provider-content.js";
import { type SettableFields, withFields } from "./block-fields.js";
import type { ToolArguments } from "./tool-arguments.js";

/** The slot of a server tool. */
export interface ServerToolSlot {
  type: "serverTool";
  index: number;
  open: boolean;
  /** The JSON text of the input; empty if the input arrived whole, or not yet. */
  text: ToolArguments;
  /** Whether any of that text has arrived. */
  streamed: boolean;
}

/** The block before anything but the given fields is known. */
export function newServerTool(fields: SettableFields<ServerToolContent>): ServerToolContent {
  return withFields<ServerToolContent>({ type: "serverTool", id: "", name: "", status: "running" }, fields);
}

/** A copy of the block with other fields. While the input streams, it is a live view of the text so far. */
export function changedServerTool(
  { input, ...block }: ServerToolContent,
  fields: SettableFields<ServerToolContent>,
  slot: ServerToolSlot,
): ServerToolContent {
  const changed = withFields<ServerToolContent>({ ...block }, fields);
  if (!slot.streamed || fields.input) {
    slot.streamed = false;
    return input && !changed.input ? { ...changed, input } : changed;
  }
  const { text } = slot;
  return Object.defineProperty(changed, "input", { get: () => text.live, enumerable: true, configurable: true });
}

/** Returns the final block. `failed`: the response ended with an error, so no tool is still running. */
export function finishedServerTool(
  { input, ...block }: ServerToolContent,
  slot: ServerToolSlot,
  failed: boolean,
): ServerToolContent {
  const status = failed && block.status === "running" ? "failed" : block.status;
  const final = slot.streamed ? slot.text.finish().arguments : input;
  return { ...block, status, ...(final === undefined ? {} : { input: final }) };
}

/** The event of a change. */
export function serverToolUpdate(
  { index }: ServerToolSlot,
  partial: Extract<AssistantMessageEvent, { type: "servertool_update" }>["partial"],
  delta?: string,
): AssistantMessageEvent {
  return { type: "servertool_update", contentIndex: index, ...(delta === undefined ? {} : { delta }), partial };
}
