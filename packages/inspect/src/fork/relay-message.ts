/**
 * Assembles the message of a response from the events of a relay, see the wire format in docs/proxy.md. A relay is as
 * untrusted as any server: each field is read only if it has the right type.
 */
import { type Fields, fieldsOf, listOf, textOf } from "../record/fields.js";
import type { ForkRequest } from "../record/launcher.js";

type Block = Record<string, unknown>;

/** Characters of all deltas of one response. */
const MAX_TEXT = 64_000_000;
const MAX_BLOCKS = 10_000;
const FACTS = ["responseId", "responseModel", "stopSequence", "container", "diagnostics", "usage"];
/** The fields of blocks under the names that they have in a message. */
const BLOCK_FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  text: { contentSignature: "textSignature" },
  thinking: { contentSignature: "thinkingSignature", redacted: "redacted" },
  toolCall: {
    id: "id",
    toolName: "name",
    thoughtSignature: "thoughtSignature",
    namespace: "namespace",
    caller: "caller",
  },
};
const NEW_BLOCKS: Readonly<Record<string, () => Block>> = {
  text_start: () => ({ type: "text", text: "" }),
  thinking_start: () => ({ type: "thinking", thinking: "" }),
  toolcall_start: () => ({ type: "toolCall", id: "", name: "", arguments: {} }),
};
/** Events that bring a whole block, and the field that holds it. */
const WHOLE_BLOCKS: Readonly<Record<string, string>> = {
  servertool_start: "serverTool",
  servertool_end: "serverTool",
  servertool_update: "serverTool",
  file_end: "file",
  compaction_end: "compaction",
};
const END_REASONS: ReadonlySet<unknown> = new Set(["stop", "length", "toolUse", "pause"]);

export class RelayMessage {
  #blocks: Block[] = [];
  /** The JSON text of the arguments of each tool call. */
  #arguments = new Map<number, string>();
  #length = 0;
  readonly #facts: Block;
  /** Whether the terminal event has arrived. */
  isComplete = false;

  constructor(request: Pick<ForkRequest, "model" | "originalModel" | "messages">, timestamp: number) {
    const { model } = request;
    const api = apiOf(request);
    this.#facts = { role: "assistant", api, provider: model.provider, model: model.id, stopReason: "stop", timestamp };
  }

  /** Its content grows with the next event: a copy for each delta would cost as much as the message has blocks. */
  get message(): Fields {
    return { ...this.#facts, content: this.#blocks };
  }

  /** @throws Error for a response that is too large */
  take(value: unknown): void {
    const event = fieldsOf(value);
    const type = textOf(event["type"]);
    for (const name of FACTS) if (event[name] !== undefined) this.#facts[name] = event[name];
    if (type === "done") this.#end(END_REASONS.has(event["reason"]) ? event["reason"] : "error", event);
    else if (type === "error") this.fail(textOf(event["errorMessage"]) || "The request failed", event);
    else if (type === "attempt_reset") this.#restart();
    else this.#takeBlock(type, event);
  }

  /** Ends the response as failed, with the content so far. */
  fail(errorMessage: string, event: Fields = {}): void {
    this.#facts["errorMessage"] = errorMessage;
    if (event["error"] !== undefined) this.#facts["error"] = event["error"];
    this.#end(event["reason"] === "aborted" ? "aborted" : "error", event);
  }

  #restart(): void {
    this.#blocks = [];
    this.#arguments = new Map();
  }

  #takeBlock(type: string, event: Fields): void {
    const { contentIndex: index } = event;
    if (typeof index !== "number" || !Number.isSafeInteger(index) || index < 0 || index >= MAX_BLOCKS) return;
    const whole = fieldsOf(event[WHOLE_BLOCKS[type] ?? ""]);
    const create = Object.hasOwn(NEW_BLOCKS, type) ? NEW_BLOCKS[type] : undefined;
    // A gap would be a hole in the content.
    if (index > this.#blocks.length) return;
    if (create) this.#blocks[index] = create();
    else if (typeof whole["type"] === "string") this.#blocks[index] = { ...whole };
    const block = this.#blocks[index];
    if (!block) return;
    patch(block, event);
    if (type.endsWith("_delta")) this.#grow(block, index, textOf(event["delta"]));
    if (type === "toolcall_end") this.#closeCall(block, index, fieldsOf(event["toolCall"]));
    if (type === "citation") block["citations"] = [...listOf(block["citations"]), event["citation"]];
  }

  #grow(block: Block, index: number, delta: string): void {
    this.#length += delta.length;
    if (this.#length > MAX_TEXT) throw new Error("The relay's response is too large");
    if (block["type"] === "text") block["text"] = textOf(block["text"]) + delta;
    else if (block["type"] === "thinking") block["thinking"] = textOf(block["thinking"]) + delta;
    else if (block["type"] === "toolCall") this.#arguments.set(index, (this.#arguments.get(index) ?? "") + delta);
  }

  /** The deltas are the arguments; the repeated call counts where there were none. */
  #closeCall(block: Block, index: number, call: Fields): void {
    const text = this.#arguments.get(index);
    for (const name of ["argumentsError", "argumentsText"])
      if (typeof call[name] === "string") block[name] = call[name];
    if (text === undefined || text === "") {
      block["arguments"] = { ...fieldsOf(call["arguments"]) };
      return;
    }
    const parsed = parse(text);
    block["arguments"] = parsed ?? {};
    if (!parsed) block["argumentsError"] ??= "The arguments are not one complete JSON object";
  }

  #end(reason: unknown, event: Fields): void {
    for (const late of listOf(event["blocks"]).map(fieldsOf)) {
      const block = this.#blocks[typeof late["contentIndex"] === "number" ? late["contentIndex"] : -1];
      if (block) patch(block, late);
    }
    this.#facts["stopReason"] = reason;
    this.isComplete = true;
  }
}

/**
 * The relay knows the api of a model, but does not say it. The original run does for its models. For another one it is empty,
 * and the relay takes the response for that of another model: it does not send its signatures back.
 */
function apiOf({ model, originalModel, messages }: Pick<ForkRequest, "model" | "originalModel" | "messages">): string {
  const isOfModel =
    (name: string) =>
    (value: unknown): boolean =>
      fieldsOf(value)[name] === model.id && fieldsOf(value)["provider"] === model.provider;
  const known = isOfModel("id")(originalModel) ? originalModel : messages.findLast(isOfModel("model"));
  return textOf(fieldsOf(known)["api"]);
}

function patch(block: Block, event: Fields): void {
  for (const [wireName, name] of Object.entries(BLOCK_FIELDS[textOf(block["type"])] ?? {}))
    if (event[wireName] !== undefined) block[name] = event[wireName];
}

function parse(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? fieldsOf(value) : undefined;
  } catch {
    return undefined;
  }
}
