/** Reads tool calls, images and endings of Chat Completions and of apis modelled on it. */
import type { ApiRequest } from "../driver/index.js";
import { type MessageSink, wholeArguments } from "../message/index.js";
import { isSameModel } from "../request/index.js";
import type { ErrorKind, StopReason } from "../types/message.js";
import { formatThrownValue } from "../utils/diagnostics.js";
import { textIn, tryParseJson } from "../utils/read-text.js";
import { StreamingJsonParser } from "../wire/index.js";
import { ObjectEnd } from "./object-end.js";

export interface WireCall {
  index?: number | null;
  id?: unknown;
  function?: { name?: unknown; arguments?: unknown } | null;
}

interface OpenCall {
  key: string;
  id: string;
  name: string;
  end: ObjectEnd;
}

/** What a fragment says, in the types of the wire's documents. */
interface Fragment {
  index: number | undefined;
  id: string;
  name: string;
  arguments: string;
  /** Whether the arguments came as a value, and not as a text that may go on. */
  isWhole: boolean;
}

/**
 * A fragment belongs to the tool call with its index, else to the one with its id, else to the open one. A new id with a
 * name starts a new tool call even if the index is in use; an id alone does not, because some gateways change ids.
 *
 * Servers that know neither ids nor indexes send each call with the index 0 or the same id, or without both. There another
 * name starts a new tool call, and so do arguments after a complete object. Some servers repeat the name in each fragment,
 * so the same name does so only after complete arguments.
 */
export class ToolCallTracker {
  readonly #byIndex = new Map<number, OpenCall>();
  readonly #byId = new Map<string, OpenCall>();
  /** Encrypted reasoning by the id of its tool call; it can arrive before the tool call. */
  readonly #details = new Map<string, string>();
  #current: OpenCall | undefined;
  #count = 0;

  add(wire: WireCall, sink: MessageSink): void {
    const fragment = readFragment(wire);
    const { id, name } = fragment;
    const found = this.#find(fragment);
    const call = found && !isAnother(found, fragment) ? found : this.#begin(fragment, found, sink);
    this.#current = call;
    if (name !== "") call.name = name;
    sink.patch(call.key, { name });
    if (call.id === "" && id !== "" && !this.#byId.has(id)) this.#identify(call, id, sink);
    sink.append(call.key, fragment.arguments);
    call.end.read(fragment.arguments);
    if (fragment.isWhole) call.end.reach();
  }

  /** Whether the arguments of a tool call have begun and not ended. */
  hasUnfinished(sink: MessageSink): boolean {
    for (let number = 0; number < this.#count; number++) {
      if (isUnfinished(sink.textOf(`call:${number}`))) return true;
    }
    return false;
  }

  /** Whether a tool call has this id. */
  has(id: string): boolean {
    return this.#byId.has(id);
  }

  addDetails(details: readonly unknown[], sink: MessageSink): void {
    for (const detail of details) {
      if (!isEncrypted(detail)) continue;
      const signature = JSON.stringify(detail);
      this.#details.set(detail.id, signature);
      const call = this.#byId.get(detail.id);
      if (call) sink.patch(call.key, { thoughtSignature: signature });
    }
  }

  #find({ index, id, name }: Fragment): OpenCall | undefined {
    if (index !== undefined) {
      const call = this.#byIndex.get(index);
      const another = call && id !== "" && name !== "" && call.id !== "" && call.id !== id;
      return another ? undefined : call;
    }
    if (id !== "") return this.#byId.get(id) ?? (this.#current?.id === "" ? this.#current : undefined);
    // A name without an id starts a new tool call, unless the open one still lacks a name, or the end of its arguments.
    const current = this.#current;
    const goesOn = name === "" || current?.name === "" || (current?.name === name && current.end.isPartial);
    return goesOn ? current : undefined;
  }

  /** @param before the call that has the same index or id; it gives its name if the fragment has none */
  #begin({ index, id, name }: Fragment, before: OpenCall | undefined, sink: MessageSink): OpenCall {
    const call: OpenCall = {
      key: `call:${this.#count++}`,
      id: "",
      name: name || (before?.name ?? ""),
      end: new ObjectEnd(),
    };
    if (index !== undefined) this.#byIndex.set(index, call);
    sink.open(call.key, { type: "toolCall", id, name: call.name });
    if (id !== "") this.#identify(call, id, sink);
    return call;
  }

  #identify(call: OpenCall, id: string, sink: MessageSink): void {
    call.id = id;
    this.#byId.set(id, call);
    sink.patch(call.key, { id, thoughtSignature: this.#details.get(id) });
  }
}

function readFragment({ index, id, function: called }: WireCall): Fragment {
  const args = called?.arguments;
  return {
    index: readIndex(index),
    id: textIn(id),
    name: textIn(called?.name),
    arguments: wholeArguments(args),
    isWhole: typeof args === "object" && args !== null,
  };
}

/** An index, which some servers send as text. */
function readIndex(index: unknown): number | undefined {
  if (typeof index === "string" && /^\d{1,9}$/.test(index)) return Number(index);
  return typeof index === "number" ? index : undefined;
}

/** Whether a fragment starts a new tool call, although its index or id, or the lack of both, says that it goes on. */
function isAnother(call: OpenCall, { id, name, arguments: args, isWhole }: Fragment): boolean {
  const isSameId = id !== "" && id === call.id;
  // llama.cpp sends a name that grows again, whole (tools/server/server-chat.cpp, 2026-11).
  const mayGrow = isSameId || name.startsWith(call.name);
  if (name !== "" && call.name !== "" && name !== call.name && (call.end.reached || !mayGrow)) return true;
  // A server that gives ids, gives each call one: what follows without a name is a fault of the model.
  const mayBegin = name !== "" || call.id === "";
  return mayBegin && call.end.reached && (isWhole || args.trimStart().startsWith("{"));
}

function isEncrypted(detail: unknown): detail is { id: string } {
  if (typeof detail !== "object" || detail === null || !("id" in detail) || !("type" in detail)) return false;
  return detail.type === "reasoning.encrypted" && typeof detail.id === "string" && detail.id !== "";
}

function isUnfinished(json: string): boolean {
  if (json === "" || tryParseJson(json) !== undefined) return false;
  const parser = new StreamingJsonParser();
  parser.feed(json);
  return parser.state === "partial";
}

// Reads images that a model generated, sent as data URLs or addresses.

/** Opens the block of an image. An image known only by its address becomes a file. */
export function openImage(key: string, address: string, signature: string, sink: MessageSink): void {
  const comma = address.indexOf(",");
  const [mimeType, ...parameters] = address.startsWith("data:") ? address.slice(5, Math.max(comma, 5)).split(";") : [];
  if (!mimeType || parameters.at(-1) !== "base64")
    sink.open(key, { type: "file", mimeType: "image/*", url: address, signature });
  else sink.open(key, { type: "image", mimeType, data: address.slice(comma + 1), signature });
}

// Determines how a response of Chat Completions, or of an api modelled on it, ended.

const STOP: Ending = { reason: "stop" };
const LENGTH: Ending = { reason: "length" };
const TOOL_USE: Ending = { reason: "toolUse" };
const WITHHELD: Ending = { reason: "error", kind: "content_filter" };
const FAILED: Ending = { reason: "error", kind: "server" };

/**
 * In lower case. OpenAI's API reference, "The chat completion chunk object"; the others are values that one vendor
 * documents, or that a gateway passes through from another api (all 2026-11).
 */
const ENDINGS: ReadonlyMap<string, Ending> = new Map([
  ["stop", STOP],
  ["length", LENGTH],
  ["tool_calls", TOOL_USE],
  ["function_call", TOOL_USE],
  ["content_filter", WITHHELD],
  // Mistral's API reference, "Chat completion".
  ["model_length", LENGTH],
  // llama.cpp and Together.
  ["end", STOP],
  ["eos", STOP],
  // Z.ai, "Core parameters: finish_reason".
  ["sensitive", WITHHELD],
  ["network_error", FAILED],
  ["model_context_window_exceeded", { reason: "error", kind: "context_overflow" }],
  // DeepSeek, "Create chat completion".
  ["insufficient_system_resource", { reason: "error", kind: "overloaded" }],
  // Mistral, OpenRouter, vLLM.
  ["error", FAILED],
  ["abort", FAILED],
  // Anthropic's values.
  ["end_turn", STOP],
  ["stop_sequence", STOP],
  ["max_tokens", LENGTH],
  ["tool_use", TOOL_USE],
  ["refusal", WITHHELD],
  // Google's values.
  ["safety", WITHHELD],
  ["recitation", WITHHELD],
  ["blocklist", WITHHELD],
  ["prohibited_content", WITHHELD],
  ["spii", WITHHELD],
  ["malformed_function_call", { reason: "error", kind: "protocol" }],
]);

/**
 * Decides from the finish reason and the end marker `[DONE]` how the response ended. A response with content and the
 * end marker is complete even if its finish reason is unknown; a diagnostic records that. Without a finish reason it is
 * complete unless it shows that it was cut off: a tool call is not finished, or the server sends finish reasons otherwise.
 */
export class ChatEnding {
  /** Whether the response held any text, thinking or tool call. */
  hasContent = false;
  readonly #expectsReason: boolean;
  readonly #isCutOff: (sink: MessageSink) => boolean;
  #stopped = false;
  #unknownReason: string | undefined;

  /**
   * @param isCutOff whether a response without a finish reason is not complete
   * @param expectsReason whether the server sends a finish reason; if not, the end marker is enough
   */
  constructor(isCutOff: (sink: MessageSink) => boolean, expectsReason = true) {
    this.#isCutOff = isCutOff;
    this.#expectsReason = expectsReason;
  }

  /** Records a finish reason, which may be of any type. */
  finish(finishReason: unknown, sink: MessageSink): void {
    const word = formatThrownValue(finishReason);
    const ending = ENDINGS.get(word.toLowerCase());
    if (!ending) {
      this.#unknownReason = word;
      return;
    }
    this.#stopped = true;
    if (ending.reason === "error") fail(word, ending.kind, sink);
    else sink.stop(ending.reason);
  }

  /** The end marker arrived. */
  complete(sink: MessageSink): void {
    if (this.#stopped) return;
    if (!this.#expectsReason) {
      sink.stop("stop");
      return;
    }
    if (!this.hasContent) {
      this.end(sink);
      return;
    }
    if (this.#unknownReason === undefined && this.#isCutOff(sink)) return;
    sink.stop("stop");
    if (this.#unknownReason === undefined) sink.note("missing_finish_reason");
    else sink.note("unknown_finish_reason", { finishReason: this.#unknownReason });
  }

  /** The body ended without the end marker. */
  end(sink: MessageSink): void {
    if (!this.#stopped && this.#unknownReason !== undefined) fail(this.#unknownReason, "protocol", sink);
  }
}

/** Endings that a server stated, unless a diagnostic says otherwise. */
const STATED: ReadonlySet<string> = new Set(["stop", "length", "toolUse"]);
const UNSTATED: ReadonlySet<string> = new Set(["missing_finish_reason", "unknown_finish_reason"]);

/** Whether the server of a model has ended an earlier response of the conversation with a finish reason. */
export function statesReasons({ context, model }: Pick<ApiRequest, "context" | "model">): boolean {
  return context.messages.some(
    (message) =>
      message.role === "assistant" &&
      isSameModel(message, model) &&
      STATED.has(message.stopReason) &&
      !message.diagnostics?.some(({ type }) => UNSTATED.has(type)),
  );
}

function fail(word: string, kind: Ending["kind"], sink: MessageSink): void {
  sink.stop("error", `Provider finish_reason: ${word}`, kind);
}

// The ending of a response, for the tables that map a provider's own values.

export interface Ending {
  reason: StopReason;
  /** Explains an error. */
  message?: string;
  kind?: ErrorKind;
}
