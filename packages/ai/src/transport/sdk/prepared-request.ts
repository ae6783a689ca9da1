/**
 * Reuses the URL and the headers that an SDK creates for a request. They depend on the credential and the path, not
 * on the content, so one call of the SDK serves many requests.
 */
import { ProtocolError } from "../../errors.js";
import { isRecord } from "../../utils/is-object.js";
import type { SendContext, WireRequest } from "../wire-request.js";

/** The request that the SDK would send. Header names are in lower case. */
export interface PreparedRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
}

/** Makes the SDK send the request through `capture` instead of `fetch`. */
export type SendThroughSdk = (capture: typeof globalThis.fetch) => Promise<unknown>;

type Settings = readonly (string | boolean)[];

/** The number of requests to remember. A server that uses more keys at a time prepares some requests again. */
const MAX_PREPARED = 64;

/** The key holds everything that the SDK reads, including credentials. It is only compared, never shown. */
const prepared = new Map<string, PreparedRequest>();

/**
 * Sends a request the way the SDK would.
 *
 * @param settings what the SDK's result depends on besides the request: the SDK's name, options of its client
 */
export async function sendPrepared(
  request: WireRequest,
  io: SendContext,
  settings: Settings,
  sendThroughSdk: SendThroughSdk,
): Promise<Response> {
  return sendAs(await prepare(request, settings, sendThroughSdk), request, io);
}

/** A server on this machine may need no key, and some servers reject an empty one. */
export function withoutEmptyKey(request: WireRequest): WireRequest {
  if (request.apiKey || request.bearerToken) return request;
  return { ...request, headers: { authorization: null, "x-api-key": null, ...request.headers } };
}

/** Sends a request to the URL that an SDK created, with the SDK's headers and the request's own. */
export function sendAs({ url, headers }: PreparedRequest, request: WireRequest, io: SendContext): Promise<Response> {
  return io.fetch(url, {
    method: "POST",
    headers: withOwnHeaders(headers, request.headers),
    body: JSON.stringify(request.body),
    signal: io.signal,
  });
}

/** Returns the URL and the headers that an SDK would send. */
export async function captureRequest(sendThroughSdk: SendThroughSdk): Promise<PreparedRequest> {
  let captured: PreparedRequest | undefined;
  await sendThroughSdk(async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    captured = { url, headers: Object.fromEntries(new Headers(init?.headers)) };
    return new Response(null);
  });
  if (!captured) throw new ProtocolError("The SDK sent no request", { retryable: false });
  return captured;
}

async function prepare(
  request: WireRequest,
  settings: Settings,
  sendThroughSdk: SendThroughSdk,
): Promise<PreparedRequest> {
  const { baseUrl, path, apiKey, bearerToken, headers, body } = request;
  // The values of our headers are added later: they may differ in each request.
  const names = Object.keys(headers).map((name) => (headers[name] === null ? `-${name}` : name));
  const model = isRecord(body) ? body["model"] : undefined;
  const key = JSON.stringify([settings, baseUrl, path, apiKey, bearerToken, names, model]);
  const known = prepared.get(key);
  if (!known) return prepareNew(key, sendThroughSdk);
  // Inserted again, so that the first entry of the map is the least recently used one.
  prepared.delete(key);
  prepared.set(key, known);
  return known;
}

async function prepareNew(key: string, sendThroughSdk: SendThroughSdk): Promise<PreparedRequest> {
  const made = await captureRequest(sendThroughSdk);
  prepared.set(key, made);
  for (const oldest of prepared.keys()) {
    if (prepared.size <= MAX_PREPARED) break;
    prepared.delete(oldest);
  }
  return made;
}

function withOwnHeaders(
  headers: Readonly<Record<string, string>>,
  own: WireRequest["headers"],
): Record<string, string> {
  const all = { ...headers };
  for (const name in own) {
    const value = own[name];
    if (value === null || value === undefined) delete all[name.toLowerCase()];
    else all[name.toLowerCase()] = value;
  }
  return all;
}
