/**
 * Assembles the message of a response from the events of a relay (docs/proxy.md describes the wire format). A relay
 * is not trusted: each field is read only if it has the right type.
 */
import { type Fields, fieldsOf, listOf, textOf } from "../record/fields.js";
import type { ForkRequest } from "../record/launcher.js";

type Block = Record<string, unknown>;

/** The most characters in the deltas of one response. */
const MAX_TEXT = 64_000_000;
const MAX_BLOCKS = 10_000;
const FACTS = ["responseId", "responseModel", "stopSequence", "container", "diagnostics", "usage"];
/** For each type of block, the names of its fields in events, and their names in a message. */
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
/** Events that carry a whole block, and the field that contains it. */
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

  /**
   * The message so far. It shares its content with later ones: copying the list for each delta would take quadratic
   * time.
   */
  get message(): Fields {
    return { ...this.#facts, content: this.#blocks };
  }

  /** @throws an error if the response is too large */
  take(value: unknown): void {
    const event = fieldsOf(value);
    const type = textOf(event["type"]);
    for (const name of FACTS) if (event[name] !== undefined) this.#facts[name] = event[name];
    if (type === "done") this.#end(END_REASONS.has(event["reason"]) ? event["reason"] : "error", event);
    else if (type === "error") this.fail(textOf(event["errorMessage"]) || "The request failed", event);
    else if (type === "attempt_reset") this.#restart();
    else this.#takeBlock(type, event);
  }

  /** Ends the response as failed. It keeps the content so far. */
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
    // Skipping an index would leave a hole in the content.
    if (index > this.#blocks.length) return;
    if (create) this.#blocks[index] = create();
    else if (typeof whole["type"] === "string") this.#blocks[index] = { ...whole };
    const block = this.#blocks[index];
    if (!block) return;
    patch(block, event);
    if (type.endsWith("_delta")) this.#grow(block, index, textOf(event["delta"]));
    if (type === "toolcall_end") this.#closeCall(block, index, fieldsOf(event["toolCall"]));
    if (type === "citation") addTo(block, "citations", event["citation"]);
  }

  #grow(block: Block, index: number, delta: string): void {
    this.#length += delta.length;
    if (this.#length > MAX_TEXT) throw new Error("The relay's response is too large");
    if (block["type"] === "text") block["text"] = textOf(block["text"]) + delta;
    else if (block["type"] === "thinking") block["thinking"] = textOf(block["thinking"]) + delta;
    else if (block["type"] === "toolCall") this.#arguments.set(index, (this.#arguments.get(index) ?? "") + delta);
  }

  /** Takes the arguments from the deltas, or from the whole call at the end if there were no deltas. */
  #closeCall(block: Block, index: number, call: Fields): void {
    const text = this.#arguments.get(index);
    for (const name of ["argumentsError", "argumentsText"])
      if (typeof call[name] === "string") block[name] = call[name];
    if (text === undefined || text === "") {
      block["arguments"] = { ...fieldsOf(call["arguments"]) };
      return;
    }
    const parsed = parseArguments(text);
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
 * The api of the fork's model. The events of a relay do not contain it, so it is taken from the original run. If that
 * run did not use the model, the api is empty: then the relay treats the response as that of another model in later
 * requests, and leaves out its signatures.
 */
function apiOf({ model, originalModel, messages }: Pick<ForkRequest, "model" | "originalModel" | "messages">): string {
  const isOfModel =
    (name: string) =>
    (value: unknown): boolean =>
      fieldsOf(value)[name] === model.id && fieldsOf(value)["provider"] === model.provider;
  const known = isOfModel("id")(originalModel) ? originalModel : messages.findLast(isOfModel("model"));
  return textOf(fieldsOf(known)["api"]);
}

/** Appends to a list of a block, which is not copied: that would take quadratic time. */
function addTo(block: Block, name: string, value: unknown): void {
  const list = block[name];
  if (Array.isArray(list)) list.push(value);
  else block[name] = [value];
}

function patch(block: Block, event: Fields): void {
  for (const [wireName, name] of Object.entries(BLOCK_FIELDS[textOf(block["type"])] ?? {}))
    if (event[wireName] !== undefined) block[name] = event[wireName];
}

function parseArguments(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? fieldsOf(value) : undefined;
  } catch {
    return undefined;
  }
}
