/** Events of a proxy to operations on the assembler. Everything in them is hostile until it was looked at. */
import type { AssistantMessageBuilder, BlockFields, BlockStart } from "pi-ai/assemble";
import { cutText, MAX_ERROR_TEXT, ProtocolError } from "pi-ai/call";
import { type NewsFields, readErrorInfo, readNews } from "./wire-facts.js";

/** The fields that are read; each may be missing or anything. */
interface WireEvent extends NewsFields {
  type?: unknown;
  contentIndex?: unknown;
  delta?: unknown;
  contentSignature?: unknown;
  redacted?: unknown;
  id?: unknown;
  toolName?: unknown;
  thoughtSignature?: unknown;
  toolCall?: unknown;
  blocks?: unknown;
  reason?: unknown;
  errorMessage?: unknown;
  error?: unknown;
}

type Kind = "text" | "thinking" | "toolCall";

/** How the answer ended: `done` has nothing more to say, `error` does. */
export type ProxyEnd =
  | "done"
  | { reason: "error" | "aborted"; errorMessage: string; error: ReturnType<typeof readErrorInfo> };

const KINDS: Readonly<Record<string, Kind>> = { text: "text", thinking: "thinking", toolcall: "toolCall" };
const EVENT_TYPE = /^(text|thinking|toolcall)_(start|delta|end)$/;
const UNKNOWN_ERROR = "An unknown error occurred";

/**
 * Makes the mapping of one answer. It returns how the answer ended once it has, and throws a `ProtocolError` for what no
 * proxy may send. Unknown events are ignored.
 */
export function createProxyMapping(builder: AssistantMessageBuilder): (event: unknown) => ProxyEnd | undefined {
  const kinds = new Map<number, Kind>();
  return (raw) => {
    if (typeof raw !== "object" || raw === null) return undefined;
    const event: WireEvent = raw;
    const news = readNews(event);
    if (news) builder.adopt(news);
    if (event.type === "start") builder.start();
    else if (event.type === "done") return end(event, builder, "done");
    else if (event.type === "error") return end(event, builder, readError(event));
    else mapBlockEvent(event, builder, kinds);
    return undefined;
  };
}

function mapBlockEvent(event: WireEvent, builder: AssistantMessageBuilder, kinds: Map<number, Kind>): void {
  const [, name = "", step] = EVENT_TYPE.exec(String(event.type)) ?? [];
  const kind = KINDS[name];
  if (!kind) return;
  const { contentIndex: index } = event;
  if (step === "start") {
    if (typeof index !== "number") throw new ProtocolError(`Received ${String(event.type)} without a contentIndex`);
    kinds.set(index, kind);
    // The builder takes the fields that belong to the kind of block.
    builder.open(index, { ...readFields(event), type: kind } as BlockStart);
    return;
  }
  if (typeof index !== "number" || kinds.get(index) !== kind) {
    // As the reference has it: the end of a call that never began is no reason to fail.
    if (event.type === "toolcall_end") return;
    throw new ProtocolError(`Received ${String(event.type)} for non-${kind} content`);
  }
  builder.patch(index, readFields(event));
  if (step === "delta") builder.append(index, textOf(event.delta) ?? "");
  else if (kind === "toolCall") endCall(event.toolCall, index, builder);
  else builder.close(index);
}

/** The deltas are the call's arguments; the repeated call counts where there were none. */
function endCall(toolCall: unknown, index: number, builder: AssistantMessageBuilder): void {
  const call: { id?: unknown; name?: unknown; arguments?: unknown; thoughtSignature?: unknown } =
    typeof toolCall === "object" && toolCall !== null ? toolCall : {};
  builder.patch(index, {
    id: textOf(call.id),
    name: textOf(call.name),
    thoughtSignature: textOf(call.thoughtSignature),
  });
  builder.close(index, hasArguments(call) ? JSON.stringify(call.arguments) : undefined);
}

/** Arguments that were cut must not look whole, and none are none. */
function hasArguments(call: { arguments?: unknown }): boolean {
  const { arguments: given } = call;
  return typeof given === "object" && given !== null && Object.keys(given).length > 0 && !("argumentsError" in call);
}

function end(event: WireEvent, builder: AssistantMessageBuilder, how: ProxyEnd): ProxyEnd {
  for (const block of Array.isArray(event.blocks) ? event.blocks : []) {
    if (typeof block === "object" && block !== null && typeof block.contentIndex === "number")
      builder.patch(block.contentIndex, readFields(block));
  }
  if (how === "done") stop(event.reason, builder);
  return how;
}

function stop(reason: unknown, builder: AssistantMessageBuilder): void {
  if (reason === "stop" || reason === "length" || reason === "toolUse") builder.stop(reason);
  else builder.stop("error", `Unknown stop reason: ${cutText(String(reason), 200)}`, "protocol");
}

function readError(event: WireEvent): ProxyEnd {
  return {
    reason: event.reason === "aborted" ? "aborted" : "error",
    errorMessage: cutText(textOf(event.errorMessage) || UNKNOWN_ERROR, MAX_ERROR_TEXT),
    error: readErrorInfo(event.error, event.reason === "aborted" ? "aborted" : "unknown"),
  };
}

function readFields(event: WireEvent): BlockFields {
  const signature = textOf(event.contentSignature);
  return {
    id: textOf(event.id),
    name: textOf(event.toolName),
    textSignature: signature,
    thinkingSignature: signature,
    thoughtSignature: textOf(event.thoughtSignature),
    redacted: event.redacted === true,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
