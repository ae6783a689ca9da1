/** Sends through the SDKs whose client can post JSON and return the raw response. */
import { isRecord } from "../../utils/is-object.js";
import { loadOnce } from "../../utils/load-once.js";
import type { HeaderSet } from "../extend-request.js";
import type { SendContext, WireRequest } from "../wire-request.js";

/** The methods of a client that are used. An injected client must have them. */
export interface PostingClient {
  /** Sends one request. `asResponse` resolves with the response before its body is read. */
  post(path: string, options: PostOptions): { asResponse(): Promise<Response> };
}

/** The options of one request. */
export interface PostOptions {
  /** The JSON body. */
  body: unknown;
  /** Headers to add; `null` removes a header. */
  headers: Record<string, string | null>;
  /** Aborts the request. */
  signal: AbortSignal;
  /** Always 0: the driver retries. */
  maxRetries: 0;
  /** Timeout in milliseconds; long, because the driver enforces the limits of the request. */
  timeout: number;
}

/**
 * Removes the headers that the SDKs add from environment variables (`ANTHROPIC_CUSTOM_HEADERS`,
 * `OPENAI_CUSTOM_HEADERS`). They are meant for one vendor, and our client may send to another.
 *
 * @param headers replace the removed headers
 */
export function withoutEnvironmentHeaders<TClient extends object>(client: TClient, headers?: HeaderSet): TClient {
  // The SDKs have no option for this. The field contains these headers only.
  const { _options } = client as { _options?: { defaultHeaders?: unknown } };
  if (_options) _options.defaultHeaders = headers;
  return client;
}

/** The longest delay of a platform timer: the driver enforces the timeouts of a request, not the SDK. */
const NO_SDK_TIMEOUT_MS: number = 2 ** 31 - 1;

/** Sends through an injected client, which has its own `fetch`, credentials and base URL. */
export function postThrough(client: PostingClient, request: WireRequest, io: SendContext): Promise<Response> {
  const { path, body, headers } = request;
  return client
    .post(path, { body, headers, signal: io.signal, maxRetries: 0, timeout: NO_SDK_TIMEOUT_MS })
    .asResponse();
}

/** Posts through our own client, to capture its URL and headers. The SDKs read only the model of the body. */
export function postSample(client: PostingClient, { path, body, headers }: WireRequest): Promise<Response> {
  const model = isRecord(body) ? body["model"] : undefined;
  const { signal } = new AbortController();
  return client
    .post(path, { body: { model }, headers, signal, maxRetries: 0, timeout: NO_SDK_TIMEOUT_MS })
    .asResponse();
}

/**
 * Creates a function that returns the SDK, and stops the idle timeout of the request meanwhile. It throws a `ConfigError`
 * with the package name if the SDK cannot be loaded.
 *
 * @param name the package name
 * @param load a literal `import()`, which bundlers can find
 */
/* @__NO_SIDE_EFFECTS__ */
export function createSdkLoader<TModule extends object>(
  name: string,
  load: () => Promise<TModule>,
): (io?: Pick<SendContext, "pause">) => Promise<TModule> {
  const loadModule = loadOnce(load, `its copy of the package ${name}`);
  return (io) => {
    const module = loadModule();
    return io?.pause ? io.pause(module) : module;
  };
}
