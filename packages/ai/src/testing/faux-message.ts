/** Helpers to write the responses of a faux model. */
import { ERROR_KINDS } from "../errors.js";
import { createAssistantMessage } from "../message/index.js";
import type {
  AssistantBlock,
  AssistantImage,
  AssistantMessage,
  Citation,
  CompactionContent,
  ErrorInfo,
  FileContent,
  Message,
  ServerToolContent,
  StopReason,
  TextContent,
  ThinkingContent,
  ToolCall,
  Usage,
} from "../types/message.js";
import { isRecord } from "../utils/is-object.js";
import { nameValue } from "../utils/name-value.js";
import { findMisspelt } from "../utils/nearest-names.js";
import { ownValue } from "../utils/own-value.js";
import { processState } from "../utils/process-state.js";

/** The content of a prepared response. */
export type FauxContentBlock = AssistantBlock;

/** The fields of a prepared response other than its content. */
export interface FauxMessageOptions {
  /** Default `"stop"`, with an error `"error"`. */
  stopReason?: StopReason | undefined;
  /** The error text, for `error` and `aborted`. Default: the kind of the error. */
  errorMessage?: string | undefined;
  /** The facts of the failure, such as `{ kind: "rate_limit", retryAfterMs: 1000 }`. Default: of an unknown kind. */
  error?: ErrorInfo | undefined;
  /** Default: none. */
  responseId?: string | undefined;
  /** The stop sequence that ended the response. Default: none. */
  stopSequence?: string | undefined;
  /** The sandbox that the response used. Default: none. */
  container?: AssistantMessage["container"] | undefined;
  /** Reported unchanged. Default: an estimate from the lengths of the prompt and the response. */
  usage?: Usage | undefined;
  /** Unix time in milliseconds. Default: the time at which the response is sent. */
  timestamp?: number | undefined;
}

/** A text block. Its citations arrive after its text. */
export function fauxText(text: string, citations: readonly Citation[] = []): TextContent {
  return { type: "text", text, ...(citations.length > 0 && { citations: [...citations] }) };
}

/** A thinking block. */
export function fauxThinking(thinking: string): ThinkingContent {
  return { type: "thinking", thinking };
}

/**
 * A tool call.
 *
 * @param options.id default: the name and a counter, which is replaced by its number in the conversation when the call is played, so
 * that the same script gives the same ids
 */
export function fauxToolCall(name: string, input: ToolCall["arguments"] = {}, options: { id?: string } = {}): ToolCall {
  const call: ToolCall = {
    type: "toolCall",
    id: options.id ?? `faux-${name}-${++calls.count}`,
    name,
    arguments: input,
  };
  if (options.id === undefined) calls.unnamed.add(call);
  return call;
}

/** Gives the calls of a response that have no id of their own one that is new in the conversation. */
export function nameCalls({ content }: AssistantMessage, messages: readonly Message[]): void {
  const unnamed = content.filter((block): block is ToolCall => block.type === "toolCall" && calls.unnamed.has(block));
  if (unnamed.length === 0) return;
  const blocks = messages.flatMap((message) => (message.role === "assistant" ? message.content : []));
  const taken = new Set(blocks.flatMap((block) => (block.type === "toolCall" ? [block.id] : [])));
  for (const call of unnamed) {
    let number = taken.size + 1;
    while (taken.has(`faux-${call.name}-${number}`)) number++;
    call.id = `faux-${call.name}-${number}`;
    taken.add(call.id);
  }
}

/**
 * A server tool. Its input streams, and everything else arrives at its end.
 *
 * @param result default: `status` is `done`, and the id is the name and a counter
 */
export function fauxServerTool(
  name: string,
  input: NonNullable<ServerToolContent["input"]> = {},
  result: Partial<Omit<ServerToolContent, "type" | "name" | "input">> = {},
): ServerToolContent {
  const id = result.id ?? `faux-${name}-${++calls.count}`;
  return { type: "serverTool", status: "done", ...result, id, name, input };
}

/** An image that the model generated: by default a single pixel. */
export function fauxImage(data: string = PIXEL, mimeType = "image/png"): AssistantImage {
  return { type: "image", data, mimeType };
}

/** A file that the model generated; by default the provider keeps it. */
export function fauxFile(name: string, fields: Partial<Omit<FileContent, "type" | "name">> = {}): FileContent {
  const place = fields.data === undefined && fields.url === undefined ? { fileId: `faux-${name}` } : {};
  return { type: "file", mimeType: "application/octet-stream", ...place, ...fields, name };
}

/** The provider's summary of older turns; if the text is omitted, only the provider can read it. */
export function fauxCompaction(text?: string): CompactionContent {
  return { type: "compaction", ...(text === undefined ? {} : { text }) };
}

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";
const calls = /* @__PURE__ */ processState("faux tool calls", () => ({ count: 0, unnamed: new WeakSet<ToolCall>() }));

// A record, so that a new option fails to compile here. Tests may add fields that a provider would.
const MESSAGE_OPTIONS: Readonly<Record<keyof FauxMessageOptions, true>> = {
  stopReason: true,
  errorMessage: true,
  error: true,
  responseId: true,
  stopSequence: true,
  container: true,
  usage: true,
  timestamp: true,
};

const STOP_REASONS: Readonly<Record<StopReason, true>> = {
  stop: true,
  length: true,
  toolUse: true,
  pause: true,
  error: true,
  aborted: true,
};

/** The fields that a block of each kind must have. JavaScript may pass anything. */
const BLOCK_FIELDS: Readonly<Record<string, Readonly<Record<string, "a string" | "an object">>>> = {
  text: { text: "a string" },
  thinking: { thinking: "a string" },
  toolCall: { name: "a string", arguments: "an object" },
};

/** @throws TypeError for a block that would be played as something else */
function assertBlock(block: unknown): void {
  const given: Readonly<Record<string, unknown>> = Object(block);
  if (typeof given["type"] !== "string")
    throw new TypeError(`A faux block must be one such as fauxText("Hello"), but it is ${nameValue(block)}`);
  for (const [field, wanted] of Object.entries(ownValue(BLOCK_FIELDS, given["type"]) ?? {})) {
    const value = given[field];
    if (wanted === "an object" ? !isRecord(value) : typeof value !== "string")
      throw new TypeError(`The ${field} of a faux block must be ${wanted}, not ${nameValue(value)}`);
  }
}

/** @throws TypeError for a word that no provider would cause: a test would pass for what never happens */
function checkWord(field: string, word: string | undefined, known: readonly string[]): void {
  if (word !== undefined && !known.includes(word))
    throw new TypeError(
      `The ${field} of fauxAssistantMessage must be one of ${known.join(", ")}, not ${nameValue(word)}`,
    );
}

/** A response of a faux model; a string is short for one text block, and an empty one beside an `error` for none. */
export function fauxAssistantMessage(
  content: string | FauxContentBlock | readonly FauxContentBlock[],
  options: FauxMessageOptions = {},
): AssistantMessage {
  // A failure before anything arrived: with a block, it would be one in the middle of a response, which nobody retries.
  const given = content === "" && options.error ? [] : typeof content === "string" ? fauxText(content) : content;
  const blocks = isList(given) ? [...given] : [given];
  for (const block of blocks) assertBlock(block);
  const misspelt = findMisspelt(options, Object.keys(MESSAGE_OPTIONS));
  if (misspelt)
    throw new TypeError(`fauxAssistantMessage has no option "${misspelt.name}": did you mean "${misspelt.near}"?`);
  const { error, timestamp = 0, ...facts } = options;
  checkWord("stopReason", facts.stopReason, Object.keys(STOP_REASONS));
  checkWord("error.kind", error?.kind, ERROR_KINDS);
  return {
    ...createAssistantMessage({ api: "faux", provider: "faux", id: "faux-1" }, timestamp),
    content: blocks,
    stopReason: "stop",
    ...(error && { stopReason: "error", errorMessage: error.kind, error }),
    ...Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)),
  };
}

/** A response in short: its text, or its blocks. It stops for the tools that its blocks call. */
export type FauxResponse = string | FauxContentBlock | readonly FauxContentBlock[];

/** The message of a response in short. */
export function toFauxMessage(response: AssistantMessage | FauxResponse): AssistantMessage {
  if (typeof response === "object" && response !== null && "role" in response) return response;
  const message = fauxAssistantMessage(response);
  const callsTools = message.content.some(({ type }) => type === "toolCall");
  return callsTools ? { ...message, stopReason: "toolUse" } : message;
}

function isList(content: FauxContentBlock | readonly FauxContentBlock[]): content is readonly FauxContentBlock[] {
  return Array.isArray(content);
}
