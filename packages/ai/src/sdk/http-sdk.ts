/** What the SDKs of one make have in common: a client that posts JSON and hands out the raw response. */
import type { HeaderSet } from "../transport/headers.js";
import type { SendContext, WireRequest } from "../transport/wire-request.js";

/** The part of a client that is used; an injected client has to have it. */
export interface PostingClient {
  /** Sends one request; `asResponse` gives the answer before its body is read. */
  post(path: string, options: PostOptions): { asResponse(): Promise<Response> };
}

/** One request, for a client that sends it. */
export interface PostOptions {
  /** The JSON body. */
  body: unknown;
  /** Headers to add; `null` takes one away. */
  headers: Record<string, string | null>;
  /** Ends the request. */
  signal: AbortSignal;
  /** None: a call's own policy decides. */
  maxRetries: 0;
  /** Milliseconds; long, because a call's own limits decide. */
  timeout: number;
}

/**
 * Takes away the headers that the SDKs add from environment variables (`ANTHROPIC_CUSTOM_HEADERS`,
 * `OPENAI_CUSTOM_HEADERS`): they are meant for one vendor, and a client of ours may talk to another.
 *
 * @param headers takes their place
 */
export function withoutEnvironmentHeaders<TClient extends object>(client: TClient, headers?: HeaderSet): TClient {
  // The SDKs have no option for it; all that the field holds is replaced.
  const { _options } = client as { _options?: { defaultHeaders?: unknown } };
  if (_options) _options.defaultHeaders = headers;
  return client;
}

/** The driver bounds the call; the SDK must not do so before. The longest time that a timer can hold. */
export const NO_SDK_TIMEOUT_MS: number = 2 ** 31 - 1;

/**
 * Posts through a client that `create` makes with a watched `fetch`. What went wrong below the SDK is thrown as it was:
 * the SDK's own wrapping would hide it.
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
