/**
 * The address and the headers that an SDK makes for a request. They depend on the credential and the path, not on the
 * content, so the SDK makes them once for many requests.
 */

import { ProtocolError } from "../errors.js";
import type { SendContext, WireRequest } from "../transport/wire-request.js";
import { isRecord } from "../utils/is-object.js";

/** What the SDK would send. Header names are in lower case. */
export interface PreparedRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
}

/** Lets the SDK send `request` with `capture` in place of `fetch`. */
export type SendThroughSdk = (capture: typeof globalThis.fetch) => Promise<unknown>;

type Settings = readonly (string | boolean)[];

/** Most requests to remember. A server that uses more keys at a time prepares some requests again. */
const MOST = 64;

/** By everything that the SDK reads. The keys contain credentials and are only compared. */
const prepared = new Map<string, PreparedRequest>();

/**
 * Sends a request as the SDK would.
 *
 * @param settings what the SDK reads besides the request: its name, options of its client
 */
export async function sendPrepared(
  request: WireRequest,
  io: SendContext,
  settings: Settings,
  sendThroughSdk: SendThroughSdk,
): Promise<Response> {
  return sendAs(await prepare(request, settings, sendThroughSdk), request, io);
}

/** Sends a request to the address and with the headers that an SDK made, and with its own headers. */
export function sendAs({ url, headers }: PreparedRequest, request: WireRequest, io: SendContext): Promise<Response> {
  return io.fetch(url, {
    method: "POST",
    headers: withOwnHeaders(headers, request.headers),
    body: JSON.stringify(request.body),
    signal: io.signal,
  });
}

/** Returns what an SDK would send. */
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

function prepare(
  request: WireRequest,
  settings: Settings,
  sendThroughSdk: SendThroughSdk,
): PreparedRequest | Promise<PreparedRequest> {
  const { baseUrl, path, apiKey, bearerToken, headers, body } = request;
  // The values of our headers are added later: they may differ in each request.
  const names = Object.keys(headers).map((name) => (headers[name] === null ? `-${name}` : name));
  const model = isRecord(body) ? body["model"] : undefined;
  const key = JSON.stringify([settings, baseUrl, path, apiKey, bearerToken, names, model]);
  const known = prepared.get(key);
  if (!known) return prepareNew(key, sendThroughSdk);
  // A map keeps the order of insertion, so the first entry is the one that was not used for the longest time.
  prepared.delete(key);
  prepared.set(key, known);
  return known;
}

async function prepareNew(key: string, sendThroughSdk: SendThroughSdk): Promise<PreparedRequest> {
  const made = await captureRequest(sendThroughSdk);
  prepared.set(key, made);
  for (const oldest of prepared.keys()) {
    if (prepared.size <= MOST) break;
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
