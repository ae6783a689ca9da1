/** Sends the requests of forks to a relay that has the keys, such as `createProxyHandler` of `pi-ai/proxy-server`. */
import { describeThrown, type Fields, fieldsOf, listOf, textOf } from "../record/fields.js";
import type { ForkRequest, Launcher, ModelName, SendOptions } from "../record/launcher.js";

/** A relay that sends the requests of forks. */
export interface RelayOptions {
  /** The address of the relay. Requests go to `/api/stream` below it. */
  url: string;
  /** Sent as `Authorization: Bearer`. It never reaches the page. */
  token: string;
}

/** How long the relay may send no event, in milliseconds. */
const IDLE_MS = 120_000;
/** The most characters of one event. */
const MAX_LINE = 64_000_000;
/** The most bytes of one response. */
const MAX_RESPONSE = 256_000_000;
/** The most characters of a refusal that are read. */
const MAX_REFUSAL = 64_000;
/** The most characters of an error message. */
const MAX_ERROR = 2000;
/** The roles of messages that a relay accepts. Others are the application's own. */
const ROLES: ReadonlySet<unknown> = new Set(["user", "assistant", "toolResult"]);

/** @throws an error if the address is not an HTTP or HTTPS URL */
export function createRelayLauncher(
  { url, token }: RelayOptions,
  fetch: typeof globalThis.fetch = globalThis.fetch,
): Launcher {
  const { protocol, host } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:")
    throw new Error("The address of the relay must begin with http:// or https://");
  return new RelayLauncher({ url: url.replace(/\/+$/, ""), token, host }, fetch);
}

class RelayLauncher implements Launcher {
  readonly target: string;
  readonly models: readonly ModelName[] = [];
  readonly anyModel = true;
  readonly #relay: RelayOptions;
  readonly #fetch: typeof globalThis.fetch;

  constructor(relay: RelayOptions & { host: string }, fetch: typeof globalThis.fetch) {
    this.target = `to the relay ${relay.host}, which holds the keys`;
    this.#relay = relay;
    this.#fetch = fetch;
  }

  async send(request: ForkRequest, { signal, onPartial }: SendOptions): Promise<Fields> {
    const assembled = new RelayMessage(request, Date.now());
    const idle = new AbortController();
    const timer = setTimeout(() => idle.abort(), IDLE_MS).unref();
    try {
      const response = await this.#post(request, AbortSignal.any([signal, idle.signal]));
      await readEvents(response, (event) => {
        timer.refresh();
        assembled.take(event);
        if (!assembled.isComplete) onPartial(assembled.message);
        return assembled.isComplete;
      });
      if (!assembled.isComplete) assembled.fail("The connection ended before the response was complete");
    } catch (error) {
      if (signal.aborted) assembled.fail("The fork was stopped", { reason: "aborted" });
      else assembled.fail(idle.signal.aborted ? "The relay was silent for 120 s" : this.#describe(error));
    } finally {
      clearTimeout(timer);
    }
    return assembled.message;
  }

  canRun(): boolean {
    return false;
  }

  runTool(): Promise<Fields> {
    return Promise.reject(new Error("A relay cannot run tools"));
  }

  async #post({ model, system, messages, tools, thinking }: ForkRequest, signal: AbortSignal): Promise<Response> {
    const { url, token } = this.#relay;
    const response = await this.#fetch(`${url}/api/stream`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({
        model,
        context: {
          ...(system !== "" && { systemPrompt: system }),
          messages: messages.filter((message) => ROLES.has(fieldsOf(message)["role"])),
          tools,
        },
        options: thinking === "off" ? {} : { reasoning: thinking },
      }),
      // A redirect could send the conversation and the token to another server.
      redirect: "error",
      signal,
    });
    if (!response.ok) throw new Error(await describeRefusal(response));
    return response;
  }

  /** The message of an error, without the token: a server may echo it. */
  #describe(error: unknown): string {
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : "";
    const text = `${describeThrown(error)}${cause}`;
    return text.replaceAll(this.#relay.token, "[redacted]").slice(0, MAX_ERROR);
  }
}

async function describeRefusal(response: Response): Promise<string> {
  const body = await readRefusal(response).catch(() => "");
  const refusal = `The relay refused the request with status ${response.status}`;
  try {
    const { error } = fieldsOf(JSON.parse(body));
    const words = typeof error === "string" ? error : fieldsOf(error)["message"];
    return typeof words === "string" ? `${refusal}: ${words}` : refusal;
  } catch {
    return refusal;
  }
}

async function readRefusal(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > MAX_REFUSAL) break;
  }
  return text;
}

/**
 * Reads lines of the form `data: JSON`. A line that is not JSON was cut off, and is passed on as undefined.
 *
 * @param take receives each event, and returns whether it is the last
 */
async function readEvents(response: Response, take: (event: unknown) => boolean): Promise<void> {
  const decoder = new TextDecoder();
  // The pieces are joined at the end of the line, so that a long line takes linear time.
  let pieces: string[] = [];
  let length = 0;
  let received = 0;
  for await (const bytes of response.body ?? []) {
    received += bytes.length;
    if (received > MAX_RESPONSE) throw new Error("The relay's response is too large");
    const [first = "", ...others] = decoder.decode(bytes, { stream: true }).split("\n");
    pieces.push(first);
    length += first.length;
    if (length > MAX_LINE) throw new Error("The relay sent a line that is too long");
    for (const next of others) {
      const line = pieces.join("");
      pieces = [next];
      length = next.length;
      if (line.startsWith("data: ") && take(parse(line.slice(6)))) return;
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// Assembles the message of a response from the events of a relay (docs/proxy.md describes the wire format). A relay
// is not trusted: each field is read only if it has the right type.

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

class RelayMessage {
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
