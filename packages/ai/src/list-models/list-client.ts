/** Gets JSON from a server that is not trusted: with a limit of time and of size, and with typed errors. */
import { cutText, NetworkError, PiError, ProtocolError, ProviderError } from "../errors.js";
import { createGuardedFetch, describeNetworkError, keysInUrl } from "../transport/index.js";
import { anySignal } from "../utils/any-signal.js";
import { startTimer } from "../utils/duration.js";
import { collectSecrets, redact } from "../utils/redact.js";

/** Longest list, in bytes: 100,000 models of the longest kind. */
const MAX_LIST_BYTES = 128 * 1024 * 1024;
/** Most characters of a body to quote in an error. */
const QUOTE_LENGTH = 200;

export interface ClientSettings {
  /** The provider to name in errors. */
  provider: string;
  headers: Readonly<Record<string, string>>;
  /** Milliseconds for all requests together. */
  timeoutMs: number;
  signal: AbortSignal | undefined;
  fetch: typeof globalThis.fetch | undefined;
}

export class ListClient {
  readonly #settings: ClientSettings;
  readonly #signal: AbortSignal;
  readonly #fetch: typeof globalThis.fetch;
  readonly #cancel: () => void;

  constructor(settings: ClientSettings) {
    const { provider, timeoutMs, signal, fetch = globalThis.fetch } = settings;
    const controller = new AbortController();
    const late = new NetworkError(`The list of models did not arrive within ${timeoutMs} ms`, { kind: "timeout" });
    this.#settings = settings;
    this.#cancel = startTimer(() => controller.abort(late), timeoutMs);
    this.#signal = signal ? anySignal([signal, controller.signal]) : controller.signal;
    this.#fetch = createGuardedFetch({ fetch, provider, signal: this.#signal });
  }

  /** Ends the limit of time. */
  close(): void {
    this.#cancel();
  }

  /** @throws the reason of the abort or of the limit of time, if there was one */
  throwIfAborted(): void {
    this.#signal.throwIfAborted();
  }

  /**
   * @param body sent as JSON with POST; without it, the request is a GET
   * @throws PiError without secrets
   */
  async json(url: string, body?: object): Promise<unknown> {
    try {
      return await this.#json(url, body);
    } catch (error) {
      this.throwIfAborted();
      throw withoutSecrets(error, url, this.#settings.headers);
    }
  }

  async #json(url: string, body: object | undefined): Promise<unknown> {
    const { headers } = this.#settings;
    const sent = body ? { ...headers, "content-type": "application/json" } : headers;
    const init = { headers: { accept: "application/json", ...sent }, signal: this.#signal };
    const response = await this.#race(
      this.#fetch(url, body ? { ...init, method: "POST", body: JSON.stringify(body) } : init),
    );
    const text = await this.#readText(response);
    try {
      return JSON.parse(text);
    } catch {
      const type = response.headers.get("content-type") ?? "no content type";
      const quote = text.trim() === "" ? "an empty body" : `${cutText(text.trim(), QUOTE_LENGTH)} (${type})`;
      const said = redact(quote, collectSecrets(keysInUrl(url), headers));
      throw new ProtocolError(`The list of models at ${placeOf(url)} is not JSON: ${said}`, { retryable: false });
    }
  }

  async #readText(response: Response): Promise<string> {
    const reader = response.body?.getReader();
    const decoder = new TextDecoder();
    const pieces: string[] = [];
    try {
      for (let bytes = 0; reader; ) {
        const { done, value } = await this.#race(reader.read());
        if (done) break;
        bytes += value.length;
        if (bytes > MAX_LIST_BYTES) {
          throw new ProtocolError(`The list of models is longer than ${MAX_LIST_BYTES} bytes`, { retryable: false });
        }
        pieces.push(decoder.decode(value, { stream: true }));
      }
    } catch (error) {
      reader?.cancel().catch(() => {});
      throw PiError.is(error) ? error : new NetworkError(describeNetworkError(error), { cause: error });
    }
    return pieces.join("") + decoder.decode();
  }

  /** A `fetch` of the caller's own may not obey the signal. */
  async #race<TValue>(work: Promise<TValue>): Promise<TValue> {
    let stop: (() => void) | undefined;
    const aborted = new Promise<never>((_, reject) => {
      stop = () => reject(this.#signal.reason);
      if (this.#signal.aborted) stop();
      else this.#signal.addEventListener("abort", stop, { once: true });
    });
    try {
      return await Promise.race([work, aborted]);
    } finally {
      if (stop) this.#signal.removeEventListener("abort", stop);
    }
  }
}

/** The address without its query and its keys. */
export function placeOf(url: string): string {
  return redact(url.replace(/[?#].*$/s, ""), keysInUrl(url));
}

function withoutSecrets(error: unknown, url: string, headers: Readonly<Record<string, string>>): unknown {
  if (!(error instanceof ProviderError)) return error;
  const secrets = collectSecrets(keysInUrl(url), headers);
  const { status, provider, requestId, retryAfterMs, code, body, retryable } = error;
  return new ProviderError({
    // The kind of an existing ProviderError is one of its own kinds.
    kind: error.kind as ConstructorParameters<typeof ProviderError>[0]["kind"],
    message: redact(error.message, secrets),
    ...{ status, provider, requestId, retryAfterMs, code, retryable },
    body: body === undefined ? undefined : redact(body, secrets),
  });
}
