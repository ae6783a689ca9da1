/** Reads a response of ChatGPT's Responses API from a WebSocket as if it were an HTTP body. */
import type { ChunkReader, SocketLease } from "../../transport/index.js";
import { isObject } from "../../utils/is-object.js";
import { isText, tryParseJson } from "../../utils/read-text.js";
import { argumentsOf, fieldOf, kindOf, messageText, objectsOf, requestForm, type WireItem } from "./wire-items.js";

/** Only messages with these texts are parsed here; the text of a delta cannot contain an unescaped quotation mark. */
const NOTEWORTHY =
  /"type"\s*:\s*"(?:error|response\.(?:completed|done|incomplete|failed|cancelled|output_item\.done))"/;

const GOOD_ENDS: ReadonlySet<unknown> = new Set(["response.completed", "response.done", "response.incomplete"]);

export interface SocketResponseOptions {
  lease: SocketLease<CodexTurn>;
  /** The whole request, without any continuation. */
  body: unknown;
  /** Aborts the response. */
  signal: AbortSignal;
  /** Called if the connection fails during the response. */
  onBroken: (error: unknown) => void;
}

export class SocketResponse implements ChunkReader {
  readonly #options: SocketResponseOptions;
  readonly #output: WireItem[] = [];
  readonly #onAbort = (): void => void this.cancel();
  #first: string | undefined;
  #over = false;

  constructor(options: SocketResponseOptions) {
    this.#options = options;
    options.signal.addEventListener("abort", this.#onAbort, { once: true });
    if (options.signal.aborted) this.#onAbort();
  }

  /** Sends the request and waits for the first message of the response, without consuming it. */
  async begin(sent: unknown): Promise<object> {
    const { socket } = this.#options.lease;
    try {
      socket.send(JSON.stringify({ type: "response.create", ...Object(sent) }));
      this.#first = await socket.read();
    } catch (error) {
      await this.cancel();
      throw error;
    }
    return parseObject(this.#first);
  }

  async read(): Promise<{ done: boolean; value?: string | undefined }> {
    const first = this.#first;
    this.#first = undefined;
    if (this.#over) return { done: true };
    try {
      const value = first ?? (await this.#options.lease.socket.read());
      if (NOTEWORTHY.test(value)) this.#inspect(parseObject(value));
      return { done: false, value };
    } catch (error) {
      if (this.#over) return { done: true };
      this.#end("discard");
      if (!this.#options.signal.aborted) this.#options.onBroken(error);
      throw error;
    }
  }

  async cancel(): Promise<void> {
    this.#end("discard");
  }

  #inspect(event: object): void {
    const type = fieldOf(event, "type");
    if (type === "response.output_item.done") {
      this.#output.push(...objectsOf<WireItem>([fieldOf(event, "item")]));
      return;
    }
    const { lease, body } = this.#options;
    const response = fieldOf(event, "response");
    const good = GOOD_ENDS.has(type) && fieldOf(response, "status") !== "failed";
    if (good && lease.memory) {
      const turn = toCodexTurn(body, fieldOf(response, "id"), this.#output);
      if (turn) lease.memory.value = turn;
      else delete lease.memory.value;
    }
    this.#end(good ? "release" : "discard");
  }

  #end(how: "release" | "discard"): void {
    if (this.#over) return;
    this.#over = true;
    const { lease, signal } = this.#options;
    signal.removeEventListener("abort", this.#onAbort);
    lease[how]();
  }
}

/** The code of an error event; undefined for other events. */
export function errorCodeOf(event: object): string | undefined {
  if (fieldOf(event, "type") !== "error") return undefined;
  const error = fieldOf(event, "error");
  const code = [fieldOf(error, "code"), fieldOf(error, "type"), fieldOf(event, "code")].find(isText);
  return code ?? "";
}

function parseObject(text: string): object {
  const value = tryParseJson(text);
  return isObject(value) ? value : {};
}

// Continues from the last response on a connection: the server keeps the conversation up to that response, so only new
// items are sent.

/** The parts of a request and its response that are compared with the next request. */
export interface CodexTurn {
  responseId: string;
  /** All fields of the request except the input. */
  settings: string;
  /** The full input, as sent without a continuation: one entry for each item. */
  input: string[];
  /** The items that the response adds to the conversation. */
  output: string[];
}

/** Splits the body into the parts that are compared; undefined if `onPayload` replaced it with another shape. */
function splitCodexBody(body: unknown): { settings: string; input: unknown[] } | undefined {
  const input = fieldOf(body, "input");
  if (!Array.isArray(input) || fieldOf(body, "previous_response_id") !== undefined) return undefined;
  return { settings: JSON.stringify({ ...Object(body), input: null }), input };
}

/** @param output the completed items of the response, as received */
export function toCodexTurn(body: unknown, responseId: unknown, output: readonly WireItem[]): CodexTurn | undefined {
  const parts = splitCodexBody(body);
  if (!parts || !isText(responseId)) return undefined;
  const input = parts.input.map((item) => JSON.stringify(item));
  return { responseId, settings: parts.settings, input, output: output.flatMap(summarize) };
}

/** The body that continues a turn; undefined if the new request does not continue it. */
export function continueCodexTurn(body: unknown, turn: CodexTurn): Record<string, unknown> | undefined {
  const parts = splitCodexBody(body);
  if (!parts || parts.settings !== turn.settings) return undefined;
  const known = turn.input.length + turn.output.length;
  const { input } = parts;
  if (input.length <= known) return undefined;
  const same =
    turn.input.every((item, index) => item === JSON.stringify(input[index])) &&
    turn.output.every((item, index) => item === summarize(input[turn.input.length + index])[0]);
  return same ? { ...Object(body), previous_response_id: turn.responseId, input: input.slice(known) } : undefined;
}

/** A key of an item's content, equal for its received and sent form. Empty for a message without text, never sent. */
function summarize(value: unknown): string[] {
  const [item] = objectsOf<WireItem>([value]);
  const kind = item && kindOf(item);
  if (!item) return [];
  if (!kind) return [JSON.stringify(requestForm(item))];
  if (kind === "thinking") return [JSON.stringify([kind, item.id, fieldOf(item, "encrypted_content")])];
  if (kind === "toolCall") return [JSON.stringify([kind, item.call_id, item.name, canonical(argumentsOf(item))])];
  const text = messageText(item);
  return text === "" ? [] : [JSON.stringify([kind, item.id, text])];
}

function canonical(json: string): unknown {
  try {
    return JSON.stringify(JSON.parse(json));
  } catch {
    return json;
  }
}
