/** Sends the requests of forks to a relay that has the keys, such as `createProxyHandler` of `pi-ai/proxy-server`. */
import { describeThrown, type Fields, fieldsOf } from "../record/fields.js";
import type { ForkRequest, Launcher, ModelName, SendOptions } from "../record/launcher.js";
import { RelayMessage } from "./relay-message.js";

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
