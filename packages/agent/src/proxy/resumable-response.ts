/** Resumes a response after a lost connection, if the relay keeps its events. */
import type { RequestGuard } from "pi-ai/call";
import { toNetworkError } from "./failure.js";
import type { ProxyStreamOptions } from "./options.js";

/** The maximum number of attempts in a row without a new event. */
const MAX_ATTEMPTS = 6;
/** Milliseconds before the second attempt; twice as long before each later one. */
const FIRST_DELAY_MS = 250;

export class ResumableResponse {
  readonly #guard: RequestGuard;
  readonly #options: ProxyStreamOptions;
  /** The relay's id of the response; null from a relay that does not store responses. */
  readonly #runId: string | null;
  /** The number of events that had arrived when the last connection began. */
  #before = 0;
  #attempts = 0;
  #lost: unknown;
  response: Response;

  constructor(response: Response, guard: RequestGuard, options: ProxyStreamOptions) {
    this.response = response;
    this.#guard = guard;
    this.#options = options;
    this.#runId = response.headers.get("x-run-id");
  }

  /** Stores the reason, which is thrown if the response cannot be resumed. */
  lose(error: unknown): void {
    this.#lost = error;
  }

  /**
   * Opens another connection, which continues after the events that have arrived.
   *
   * @throws the reason of the loss, when the relay keeps no events or several attempts have failed
   */
  async resume(eventCount: number): Promise<void> {
    if (eventCount > this.#before) this.#attempts = 0;
    this.#before = eventCount;
    while (this.#runId !== null && this.#attempts < MAX_ATTEMPTS) {
      // An abort and a time limit end the connection too.
      if (this.#guard.failure) throw this.#guard.failure;
      await this.#pause(this.#attempts++);
      const response = await this.#send("GET", { "last-event-id": String(eventCount) }).catch(toNetworkError);
      if (response instanceof Error) this.#lost = response;
      else if (response.status >= 500) response.body?.cancel().catch(() => {});
      else {
        this.response = response;
        return;
      }
    }
    throw this.#lost;
  }

  /** Stops the request to the provider, which outlives the connection. Whether that succeeds does not matter here. */
  stop(): void {
    if (this.#runId !== null) this.#request("DELETE", {}).catch(() => {});
  }

  /** The first attempt is made at once: most connections are lost for a moment. */
  async #pause(attempt: number): Promise<void> {
    if (attempt === 0) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const pause = new Promise((resolve) => {
      timer = setTimeout(resolve, FIRST_DELAY_MS * 2 ** (attempt - 1));
    });
    await this.#guard.race(pause).finally(() => clearTimeout(timer));
  }

  #send(method: string, headers: Record<string, string>): Promise<Response> {
    return this.#guard.race(this.#request(method, headers, this.#guard.signal));
  }

  #request(method: string, headers: Record<string, string>, signal: AbortSignal | null = null): Promise<Response> {
    const { fetch = globalThis.fetch, proxyUrl, authToken } = this.#options;
    return fetch(`${proxyUrl}/api/stream`, {
      method,
      headers: { ...headers, Authorization: `Bearer ${authToken}`, "x-run-id": this.#runId ?? "" },
      signal,
      redirect: "manual",
    });
  }
}
