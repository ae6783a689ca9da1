/** Reads a response of ChatGPT's Responses API from a WebSocket as if it were an HTTP body. */
import type { ChunkReader, SocketLease } from "../../transport/index.js";
import { isObject } from "../../utils/is-object.js";
import { isText, tryParseJson } from "../../utils/read-text.js";
import { type CodexTurn, toCodexTurn } from "./codex-turn.js";
import { fieldOf, objectsOf, type WireItem } from "./wire-items.js";

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
