/** Counts tokens at the provider, by sending an api's request to its endpoint for counting. */
import { assertModel } from "../catalogue/index.js";
import { ProtocolError } from "../errors.js";
import { normalizeContext } from "../message/index.js";
import { checkOptions } from "../request/index.js";
import type { SendContext, WireRequest } from "../transport/index.js";
import type { Context } from "../types/context.js";
import type { ContextInput } from "../types/context-input.js";
import type { AssistantMessage } from "../types/message.js";
import type { KnownApi, Model } from "../types/model.js";
import type { SimpleStreamOptions } from "../types/options.js";
import { isRecord } from "../utils/is-object.js";
import { ownValue } from "../utils/own-value.js";
import { tryParseJson } from "../utils/read-text.js";
import { COUNT_ENDPOINTS, type CountEndpoint } from "./count-endpoints.js";
import { sendElsewhere } from "./send-elsewhere.js";

/** The statuses of servers that do not have an endpoint. */
const UNKNOWN_PATH: ReadonlySet<number | undefined> = new Set([404, 405]);

/** The provider's count, or the reason why there is none. */
export type ProviderCount = { tokens: number } | { failure: string; error?: AssistantMessage["error"] };

/**
 * Returns the context as a model request would send it.
 *
 * @throws ConfigError that names the argument and the fix
 */
export function checkRequest(model: Model, input: string | ContextInput, options: SimpleStreamOptions): Context {
  assertModel(model);
  checkOptions(options);
  return normalizeContext(input);
}

/** Never rejects. Uses the keys, URLs, retries, timeouts and signal of a model request. */
export async function countAtProvider(
  model: Model,
  context: Context,
  options: SimpleStreamOptions,
): Promise<ProviderCount> {
  const api = model.api as KnownApi; // used only to look up the table of known apis
  const known = ownValue(COUNT_ENDPOINTS, api) ?? [];
  let count: ProviderCount = { failure: `The api ${api} has no endpoint for counting tokens` };
  for (const endpoint of known) {
    if (endpoint.isOffered?.(model) === false) continue;
    count = await countAt(endpoint, { ...model, api }, context, options);
    if ("tokens" in count || !UNKNOWN_PATH.has(count.error?.status)) break;
  }
  return count;
}

async function countAt(
  endpoint: CountEndpoint,
  model: Model & { api: KnownApi },
  context: Context,
  options: SimpleStreamOptions,
): Promise<ProviderCount> {
  let tokens: number | undefined;
  const { errorMessage, error } = await sendElsewhere(model, context, options, {
    toRequest: (request) => toCountRequest(request, endpoint),
    toFetch: (fetch) => redirect(fetch, endpoint),
    onText: (text) => {
      tokens = readCount(text, endpoint);
    },
  });
  if (tokens !== undefined) return { tokens };
  return { failure: errorMessage ?? "The provider returned no count", ...(error && { error }) };
}

function toCountRequest(request: WireRequest, { path: [from, to], body }: CountEndpoint): WireRequest {
  const path = request.path.endsWith(from) ? request.path.slice(0, -from.length) + to : request.path;
  return { ...request, path, body: body(isRecord(request.body) ? request.body : {}, request) };
}

function redirect(fetch: SendContext["fetch"], { path: [from, to] }: CountEndpoint): SendContext["fetch"] {
  return (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    if (!url.pathname.endsWith(from)) return fetch(input, init);
    url.pathname = url.pathname.slice(0, -from.length) + to;
    url.searchParams.delete("alt");
    return fetch(url.href, init);
  };
}

function readCount(text: string, { count }: CountEndpoint): number {
  const fields = tryParseJson(text);
  const tokens = isRecord(fields) ? fields[count] : undefined;
  if (typeof tokens === "number" && Number.isSafeInteger(tokens) && tokens >= 0) return tokens;
  throw new ProtocolError(`The provider returned no ${count}`, { retryable: false });
}
