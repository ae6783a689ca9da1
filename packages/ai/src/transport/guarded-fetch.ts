/**
 * `fetch` for requests with credentials. Turns an error status, a redirect to another host and a broken connection into
 * typed errors, for every SDK.
 */
import { ConfigError, NetworkError, PiError, ProviderError } from "../errors.js";
import { nameValue } from "../utils/name-value.js";
import { directFetch } from "./direct-fetch.js";
import { createHttpError } from "./http-error.js";
import { adviseNetwork } from "./network-advice.js";
import type { RetryDelayReader } from "./retry-after.js";

type Fetch = typeof globalThis.fetch;

export interface GuardedFetchOptions {
  fetch: Fetch;
  provider: string;
  /** The id of the model, for errors. */
  model?: string | undefined;
  signal: AbortSignal;
  /** Reads the requested wait from a failed response. Default: from the `retry-after` headers. */
  retryDelay?: RetryDelayReader | undefined;
}

/** The number of bytes of an error body to read. */
const ERROR_BODY_LIMIT = 64 * 1024;
const MAX_REDIRECTS = 3;

export function createGuardedFetch({ fetch: given, ...facts }: GuardedFetchOptions): Fetch {
  const { provider, signal } = facts;
  const fetch = given === directFetch ? given : withHeaders(given);
  return async (input, init) => {
    const first = input instanceof Request ? input.url : String(input);
    let response = await fetchOnce(fetch, input, init, first, signal);
    let url = first;
    for (let redirects = 0; !response.ok; redirects++) {
      const target = redirectTarget(response, url);
      if (target === undefined) throw await readFailure(response, url, facts);
      response.body?.cancel().catch(() => {});
      if (redirects === MAX_REDIRECTS || !hasSameOrigin(target, url)) throw badRedirect(url, target, provider);
      url = target;
      response = await fetchOnce(fetch, url, init, url, signal);
    }
    return response;
  };
}

/** The SDKs pass a `Headers` object to `fetch`, and a caller's own `fetch` may use its methods. */
function withHeaders(fetch: Fetch): Fetch {
  return (input, init) => fetch(input, init && { ...init, headers: new Headers(init.headers) });
}

function hasSameOrigin(one: string, other: string): boolean {
  return new URL(one).origin === new URL(other).origin;
}

async function fetchOnce(
  fetch: Fetch,
  input: Parameters<Fetch>[0],
  init: RequestInit | undefined,
  url: string,
  signal: AbortSignal,
): Promise<Response> {
  checkAddress(url);
  try {
    const response = await fetch(input, { ...init, redirect: "manual" });
    if (typeof Object(response).status !== "number")
      throw new ConfigError(`The option fetch must return a Response, not ${nameValue(response)}`);
    return response;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (PiError.is(error)) throw error;
    const text = describeNetworkError(error);
    throw new NetworkError(text + adviseNetwork(text, url), { url: withoutQuery(url), cause: error });
  }
}

/**
 * Rejects URLs that `fetch` would reject, with errors that do not quote credentials.
 *
 * @throws ConfigError for an address that is not one of the web
 */
export function checkAddress(url: string): void {
  if (!URL.canParse(url))
    throw new ConfigError(`The model's baseUrl does not make a valid address: "${withoutQuery(url)}"`);
  const { protocol, username, password } = new URL(url);
  if (username !== "" || password !== "")
    throw new ConfigError(
      "The model's baseUrl contains a user name or password; send credentials as apiKey or in headers",
    );
  if (protocol !== "https:" && protocol !== "http:")
    throw new ConfigError(
      `The model's baseUrl is not an HTTP address: "${withoutQuery(url)}". Begin it with https:// or http://`,
    );
}

/** Returns the text of a failed fetch, with the cause that undici omits from its message. */
export function describeNetworkError(error: unknown): string {
  if (!(error instanceof Error)) return "The connection failed";
  const { cause } = error;
  const reason = cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code ?? "") : ""; // a system error has a code
  return reason && !error.message.includes(reason) ? `${error.message}: ${reason}` : error.message;
}

async function readFailure(
  response: Response,
  url: string,
  { signal, ...facts }: Omit<GuardedFetchOptions, "fetch">,
): Promise<ProviderError> {
  const { status, headers } = response;
  return createHttpError({ ...facts, status, headers, body: await readStart(response, signal), url });
}

/** Reads the first part of a body and cancels the rest. */
async function readStart(response: Response, signal: AbortSignal): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return "";
  const cancel = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", cancel, { once: true });
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (let bytes = 0; bytes < ERROR_BODY_LIMIT; ) {
      const { done, value } = await reader.read();
      if (done) break;
      bytes += value.length;
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    // The connection failed: quote what arrived before.
  }
  cancel();
  signal.removeEventListener("abort", cancel);
  return text;
}

function redirectTarget(response: Response, url: string): string | undefined {
  if (response.type === "opaqueredirect") return "about:blank";
  const location = response.headers.get("location");
  if (response.status < 300 || response.status > 399 || !location || !URL.canParse(location, url)) return undefined;
  return new URL(location, url).href;
}

function badRedirect(url: string, target: string, provider: string): ProviderError {
  const message = `${withoutQuery(url)} redirects to ${withoutQuery(target)}; credentials are not forwarded. Set the model's baseUrl to the address of the API`;
  return new ProviderError({ kind: "invalid_request", message, provider, retryable: false });
}

function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, "");
}
