/** Counts tokens at the provider: the request of an api, sent to the endpoint that counts it. */
import { ProtocolError } from "../errors.js";
import { BUILT_IN_APIS } from "../providers/built-in-apis.generated.js";
import type { ApiAdapter } from "../runtime/api-adapter.js";
import { createLazyApiProvider } from "../runtime/create-api-provider.js";
import type { SendContext, WireRequest, WireResponse } from "../transport/wire-request.js";
import type { Context } from "../types/context.js";
import type { AssistantMessage } from "../types/message.js";
import type { KnownApi, Model } from "../types/model.js";
import type { SimpleStreamOptions } from "../types/options.js";
import { isRecord } from "../utils/is-object.js";
import { tryParseJson } from "../utils/try-parse-json.js";
import { COUNT_ENDPOINTS, type CountEndpoint } from "./count-endpoints.js";

/** Longest response to read, in bytes. It holds a few numbers. */
const MAX_RESPONSE = 64 * 1024;

/** A count of the provider, or why there is none. */
export type ProviderCount = { tokens: number } | { failure: string; error?: AssistantMessage["error"] };

/** Never rejects. Keys, addresses, retries, timeouts and abort are those of a model request. */
export async function countAtProvider(
  model: Model,
  context: Context,
  options: SimpleStreamOptions,
): Promise<ProviderCount> {
  const endpoint = Object.hasOwn(COUNT_ENDPOINTS, model.api) ? COUNT_ENDPOINTS[model.api as KnownApi] : undefined; // an own key is a known api
  if (!endpoint) return { failure: `The api ${model.api} has no endpoint that counts tokens` };
  let tokens: number | undefined;
  const provider = createLazyApiProvider(model.api, async () => {
    const adapter = await BUILT_IN_APIS[model.api as KnownApi](); // as above
    return createCounter(adapter, endpoint, (count) => {
      tokens = count;
    });
  });
  const { errorMessage, error } = await provider.streamSimple(model, context, options).result();
  if (tokens !== undefined) return { tokens };
  return { failure: errorMessage ?? "The provider returned no count", ...(error && { error }) };
}

/** The adapter with another destination. What it receives is a count, not a response of a model. */
function createCounter(adapter: ApiAdapter, endpoint: CountEndpoint, onCount: (tokens: number) => void): ApiAdapter {
  return {
    ...adapter,
    async send(wireRequest, request, io): Promise<WireResponse> {
      const counting = toCountRequest(wireRequest, endpoint);
      const response = await adapter.send(counting, request, { ...io, fetch: redirect(io.fetch, endpoint) });
      onCount(readCount(await readText(response), endpoint));
      const body = { read: async () => ({ done: true }), cancel: async () => {} };
      return { status: response.status, headers: response.headers, framing: response.framing, body };
    },
    createMapping: () =>
      Object.assign(() => false, { end: (sink: { stop(reason: "stop"): void }) => sink.stop("stop") }),
  };
}

function toCountRequest(request: WireRequest, { path: [from, to], body }: CountEndpoint): WireRequest {
  const path = request.path.endsWith(from) ? request.path.slice(0, -from.length) + to : request.path;
  return { ...request, path, body: body(isRecord(request.body) ? request.body : {}, request) };
}

/** Some SDKs build the URL themselves. */
function redirect(fetch: SendContext["fetch"], { path: [from, to] }: CountEndpoint): SendContext["fetch"] {
  return (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    if (!url.pathname.endsWith(from)) return fetch(input, init);
    url.pathname = url.pathname.slice(0, -from.length) + to;
    url.searchParams.delete("alt");
    return fetch(url.href, init);
  };
}

async function readText({ body }: WireResponse): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await body.read();
    if (done) return text + decoder.decode();
    text += typeof value === "string" ? value : decoder.decode(value, { stream: true });
    if (text.length > MAX_RESPONSE) {
      await body.cancel();
      throw new ProtocolError("The count of tokens is too long", { retryable: false });
    }
  }
}

function readCount(text: string, { count }: CountEndpoint): number {
  const fields = tryParseJson(text);
  const tokens = isRecord(fields) ? fields[count] : undefined;
  if (typeof tokens === "number" && Number.isSafeInteger(tokens) && tokens >= 0) return tokens;
  throw new ProtocolError(`The provider returned no ${count}`, { retryable: false });
}
