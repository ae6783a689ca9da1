/** Sends through the SDKs whose client can post JSON and return the raw response. */
import type { HeaderSet } from "../transport/headers.js";
import type { SendContext, WireRequest } from "../transport/wire-request.js";

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
 * @param headers replace them
 */
export function withoutEnvironmentHeaders<TClient extends object>(client: TClient, headers?: HeaderSet): TClient {
  // The SDKs have no option for this. The field contains these headers only.
  const { _options } = client as { _options?: { defaultHeaders?: unknown } };
  if (_options) _options.defaultHeaders = headers;
  return client;
}

/** The longest delay of a platform timer: the driver enforces the timeouts of a request, not the SDK. */
export const NO_SDK_TIMEOUT_MS: number = 2 ** 31 - 1;

/**
 * Posts through a client that `create` makes with a watched `fetch`. Errors of that `fetch` are rethrown unchanged, because
 * the SDK would wrap them.
 */
export async function postThrough(
  create: (fetch: typeof globalThis.fetch) => PostingClient,
  request: WireRequest,
  io: SendContext,
): Promise<Response> {
  let failure: { error: unknown } | undefined;
  const watched: typeof globalThis.fetch = async (input, init) => {
    try {
      return await io.fetch(input, init);
    } catch (error) {
      failure = { error };
      throw error;
    }
  };
  const { body, headers } = request;
  try {
    const options: PostOptions = { body, headers, signal: io.signal, maxRetries: 0, timeout: NO_SDK_TIMEOUT_MS };
    return await create(watched).post(request.path, options).asResponse();
  } catch (error) {
    throw failure ? failure.error : error;
  }
}
