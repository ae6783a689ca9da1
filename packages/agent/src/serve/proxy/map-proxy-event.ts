/** Maps a relay's events to operations on the builder. Every value in them is untrusted. */
import type { AssistantMessageEvent } from "pi-ai";
import { type AssistantMessageBuilder, type BlockFields, type BlockStart, WIRE_NAMES } from "pi-ai/assemble";
import { cutText, isRecord, MAX_ERROR_TEXT, ProtocolError, type ProxyBlockFields } from "pi-ai/call";
import { type NewsFields, readCitation, readErrorInfo, readNews } from "./proxy-facts.js";

type WireFields = { [TName in keyof ProxyBlockFields]?: unknown };

/** The fields that are read. Each may be missing or hold any value. */
interface WireEvent extends NewsFields, WireFields {
  type?: unknown;
  contentIndex?: unknown;
  delta?: unknown;
  toolCall?: unknown;
  serverTool?: unknown;
  file?: unknown;
  compaction?: unknown;
  citation?: unknown;
  blocks?: unknown;
  reason?: unknown;
  errorMessage?: unknown;
  error?: unknown;
}

type Kind = BlockStart["type"];
type Step =
  | "start"
  | "restart"
  | "done"
  | "error"
  | "citation"
  | { kind: Kind; step: "start" | "delta" | "end" }
  /** The field with the whole block. */
  | { whole: "file" | "compaction" };

/** How the response ended. */
export type ProxyEnd =
  | "done"
  | { reason: "error" | "aborted"; errorMessage: string; error: ReturnType<typeof readErrorInfo> };

// A record of all events, so that a new one fails to compile here instead of being lost.
const STEPS: Readonly<Record<AssistantMessageEvent["type"], Step>> = {
  start: "start",
  attempt_reset: "restart",
  text_start: { kind: "text", step: "start" },
  text_delta: { kind: "text", step: "delta" },
  text_end: { kind: "text", step: "end" },
  thinking_start: { kind: "thinking", step: "start" },
  thinking_delta: { kind: "thinking", step: "delta" },
  thinking_end: { kind: "thinking", step: "end" },
  toolcall_start: { kind: "toolCall", step: "start" },
  toolcall_delta: { kind: "toolCall", step: "delta" },
  toolcall_end: { kind: "toolCall", step: "end" },
  servertool_start: { kind: "serverTool", step: "start" },
  servertool_update: { kind: "serverTool", step: "delta" },
  servertool_end: { kind: "serverTool", step: "end" },
  file_end: { whole: "file" },
  compaction_end: { whole: "compaction" },
  citation: "citation",
  done: "done",
  error: "error",
};

function stepOf(type: unknown): Step | undefined {
  // It is a name of the record.
  return typeof type === "string" && Object.hasOwn(STEPS, type) ? STEPS[type as keyof typeof STEPS] : undefined;
}

const UNKNOWN_ERROR = "An unknown error occurred";

/**
 * Creates the mapping of one response. It returns how the response ended, once it has ended, and throws a
 * `ProtocolError` for an event that breaks the protocol. Unknown events are ignored, because the server may be newer
 * than this client.
 */
export function createProxyMapping(builder: AssistantMessageBuilder): (event: unknown) => ProxyEnd | undefined {
  const kinds = new Map<number, Kind>();
  return (raw) => {
    if (typeof raw !== "object" || raw === null) return undefined;
    const event: WireEvent = raw;
    const news = readNews(event);
    if (news) builder.adopt(news);
    const step = stepOf(event.type);
    if (step === "done") return end(event, builder, kinds, "done");
    if (step === "error") return end(event, builder, kinds, readError(event));
    if (step === "start") builder.start();
    else if (step === "restart") restart(builder, kinds);
    else if (step !== undefined) mapContent(event, step, builder, kinds);
    return undefined;
  };
}

function restart(builder: AssistantMessageBuilder, kinds: Map<number, Kind>): void {
  kinds.clear();
  builder.restart();
}

function mapContent(
  event: WireEvent,
  step: Exclude<Step, "start" | "restart" | "done" | "error">,
  builder: AssistantMessageBuilder,
  kinds: Map<number, Kind>,
): void {
  if (step === "citation") cite(event, builder, kinds);
  else if ("whole" in step) addWhole(event, event[step.whole], builder, kinds);
  else mapBlockEvent(event, step, builder, kinds);
}

function mapBlockEvent(
  event: WireEvent,
  { kind, step }: Extract<Step, { kind: Kind }>,
  builder: AssistantMessageBuilder,
  kinds: Map<number, Kind>,
): void {
  const { contentIndex: index } = event;
  if (step === "start") {
    if (typeof index !== "number") throw new ProtocolError(`Received ${String(event.type)} without a contentIndex`);
    kinds.set(index, kind);
    // The builder checks the values of the fields; only the fields of this kind are read.
    builder.open(index, { ...(readServerTool(event, kind) ?? readFields(event, kind)), type: kind } as BlockStart);
    return;
  }
  if (typeof index !== "number" || kinds.get(index) !== kind) {
    // The end of a tool call that never began is ignored.
    if (event.type === "toolcall_end") return;
    throw new ProtocolError(`Received ${String(event.type)} for non-${kind} content`);
  }
  patch(event, kind, index, builder);
  const serverTool = readServerTool(event, kind);
  if (step === "delta") grow(event.delta, serverTool, index, builder);
  else if (kind === "toolCall") endCall(event.toolCall, index, builder);
  else builder.close(index, serverTool);
}

/** An update of a server tool contains a piece of its input, or the whole block. */
function grow(
  delta: unknown,
  serverTool: BlockFields | undefined,
  index: number,
  builder: AssistantMessageBuilder,
): void {
  if (typeof delta === "string") builder.append(index, delta);
  else if (serverTool) builder.patch(index, serverTool);
}

/** The builder checks every field. */
function readServerTool({ serverTool }: WireEvent, kind: Kind): BlockFields | undefined {
  return kind === "serverTool" && isRecord(serverTool) ? serverTool : undefined;
}

const WHOLE_KINDS: ReadonlySet<unknown> = new Set(["image", "file", "compaction"]);

function addWhole(event: WireEvent, block: unknown, builder: AssistantMessageBuilder, kinds: Map<number, Kind>): void {
  const { contentIndex: index } = event;
  if (typeof index !== "number" || !isRecord(block) || !WHOLE_KINDS.has(block["type"])) {
    throw new ProtocolError(`Received ${String(event.type)} without a block`);
  }
  // The builder checks the fields; the type is one of the three above.
  const start = block as BlockStart;
  kinds.set(index, start.type);
  builder.open(index, start);
}

function cite(event: WireEvent, builder: AssistantMessageBuilder, kinds: Map<number, Kind>): void {
  const { contentIndex: index, citation } = event;
  if (typeof index !== "number" || kinds.get(index) !== "text" || !isRecord(citation)) return;
  // A signature may arrive after the text has ended, and then comes with the next event of the block.
  patch(event, "text", index, builder);
  builder.cite(index, readCitation(citation));
}

/** The deltas are the tool call's arguments. The repeated tool call is used if there were no deltas. */
function endCall(toolCall: unknown, index: number, builder: AssistantMessageBuilder): void {
  const call: { arguments?: unknown } = typeof toolCall === "object" && toolCall !== null ? toolCall : {};
  // The builder picks the fields of a tool call, and checks their values.
  builder.patch(index, call as BlockFields);
  builder.close(index, hasArguments(call) ? JSON.stringify(call.arguments) : undefined);
}

/** Arguments that were cut off must not look complete; an empty object adds nothing. */
function hasArguments(call: { arguments?: unknown }): boolean {
  const { arguments: given } = call;
  return typeof given === "object" && given !== null && Object.keys(given).length > 0 && !("argumentsError" in call);
}

function end(
  event: WireEvent,
  builder: AssistantMessageBuilder,
  kinds: ReadonlyMap<number, Kind>,
  how: ProxyEnd,
): ProxyEnd {
  for (const block of Array.isArray(event.blocks) ? event.blocks : []) {
    const kind = typeof block === "object" && block !== null ? kinds.get(block.contentIndex) : undefined;
    if (kind) patch(block, kind, block.contentIndex, builder);
  }
  if (how === "done") stop(event.reason, builder);
  return how;
}

function stop(reason: unknown, builder: AssistantMessageBuilder): void {
  if (reason === "stop" || reason === "length" || reason === "toolUse" || reason === "pause") builder.stop(reason);
  else builder.stop("error", `Unknown stop reason: ${cutText(String(reason), 200)}`, "protocol");
}

function readError(event: WireEvent): ProxyEnd {
  return {
    reason: event.reason === "aborted" ? "aborted" : "error",
    errorMessage: cutText(textOf(event.errorMessage) || UNKNOWN_ERROR, MAX_ERROR_TEXT),
    error: readErrorInfo(event.error, event.reason === "aborted" ? "aborted" : "unknown"),
  };
}

function patch(event: WireFields, kind: Kind, index: number, builder: AssistantMessageBuilder): void {
  const fields = readFields(event, kind);
  if (fields) builder.patch(index, fields);
}

/** The block fields in an event, under their own names; undefined for most events, which have none. */
function readFields(event: WireFields, kind: Kind): BlockFields | undefined {
  const names: Readonly<Record<string, keyof ProxyBlockFields | "whole">> = WIRE_NAMES[kind];
  let fields: Record<string, unknown> | undefined;
  for (const name in names) {
    const wireName = names[name];
    const value = wireName === undefined || wireName === "whole" ? undefined : event[wireName];
    if (value !== undefined) fields = { ...fields, [name]: value };
  }
  return fields;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
