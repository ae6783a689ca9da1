/**
 * Turns a request handler into a listener for Node's `http` server. The parts of Node that it uses are declared here, so
 * that a project for workers compiles without Node's types.
 */
import { ConfigError } from "../errors.js";
import { checkDuration, startTimer } from "../utils/duration.js";
import { checkOptionNames, type OptionNames } from "../utils/nearest-names.js";
import { createReporter } from "./reporter.js";

/** The used part of `http.IncomingMessage`. */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: {
    readonly host?: string | undefined;
    readonly "content-type"?: string | undefined;
    readonly "content-length"?: string | undefined;
    readonly "transfer-encoding"?: string | undefined;
  };
  readonly headersDistinct: { readonly [name: string]: string[] | undefined };
  readonly readableEnded: boolean;
  readonly destroyed: boolean;
  /** The body that a middleware such as `express.json()` has read and parsed. */
  readonly body?: unknown | undefined;
  iterator(options: { destroyOnReturn: boolean }): AsyncIterator<Uint8Array>;
  once(event: string, listener: () => void): unknown;
  resume(): unknown;
  destroy(): unknown;
}

/** The used part of `http.ServerResponse`. */
export interface NodeResponse {
  readonly writableFinished: boolean;
  readonly destroyed: boolean;
  writeHead(status: number, headers?: Record<string, string | string[]>): { end(): unknown };
  flushHeaders(): void;
  write(chunk: Uint8Array): boolean;
  end(): unknown;
  destroy(): unknown;
  on(event: string, listener: () => void): unknown;
}

/** A handler of web-standard requests, such as that of `createProxyHandler` and of many frameworks. */
export type RequestHandler = (request: Request) => Response | Promise<Response>;

/** Options of {@link toNodeListener}. */
export interface NodeListenerOptions {
  /**
   * Milliseconds for which the rest of a request body is still read, and discarded, after the response is complete: a client
   * that is still sending would not read the response otherwise. `Infinity` means no limit. Default 30,000.
   */
  discardTimeoutMs?: number | undefined;
  /** Receives what the handler threw; the client gets a 500 without a text. Default: `console.error`. */
  onError?: ((error: unknown) => void) | undefined;
}

const DISCARD_TIMEOUT_MS = 30_000;

const LOST_BODY =
  "The request's body was read before toNodeListener: mount it before the middleware that parses bodies, or let that keep the body in request.body";

const NAMES: OptionNames<NodeListenerOptions> = {
  discardTimeoutMs: true,
  onError: true,
};

/**
 * Makes a listener for `http.createServer`. A request whose `Host` is not valid, or whose path is not the one that it is parsed
 * to, gets a 400: the handler sees the path that a check in front of it has seen. A client that disconnects aborts the request's signal and cancels the
 * response's body; a client that reads slowly slows the response down.
 *
 * Behind a middleware that has read the body, such as `express.json()`, the handler gets the body from `request.body`: bytes
 * and text as they are, and what was parsed from JSON as JSON again. Other parsed bodies are reported to `onError`, and the
 * client gets a 500, because their text is lost.
 *
 * @throws ConfigError for a negative `discardTimeoutMs`
 *
 * @example
 * http.createServer(toNodeListener(createProxyHandler(options))).listen(8080);
 */
export function toNodeListener(
  handler: RequestHandler,
  options: NodeListenerOptions = {},
): (request: NodeRequest, response: NodeResponse) => void {
  checkOptionNames("toNodeListener", options, NAMES);
  const { discardTimeoutMs = DISCARD_TIMEOUT_MS } = options;
  const report = createReporter(options.onError);
  checkDuration("discardTimeoutMs", discardTimeoutMs);
  return (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.on("close", () => {
      if (!outgoing.writableFinished) gone.abort();
    });
    outgoing.on("error", () => gone.abort());
    const handle = (request: Request): Promise<Response | undefined> => callHandler(handler, request, report);
    if (isBodyLost(incoming)) {
      report(new ConfigError(LOST_BODY));
      outgoing.writeHead(500).end();
      return;
    }
    respond(handle, incoming, outgoing, gone.signal).then(
      () => discardRest(incoming, discardTimeoutMs),
      () => outgoing.destroy(),
    );
  };
}

/** Returns undefined if the handler failed. After the client has left, that is only the end of its request. */
async function callHandler(
  handler: RequestHandler,
  request: Request,
  report: (error: unknown) => void,
): Promise<Response | undefined> {
  try {
    const response: Response | undefined = await handler(request);
    if (response) return response;
    throw new TypeError("The handler returned no Response");
  } catch (error) {
    if (!request.signal.aborted) report(error);
    return undefined;
  }
}

async function respond(
  handler: (request: Request) => Promise<Response | undefined>,
  incoming: NodeRequest,
  outgoing: NodeResponse,
  gone: AbortSignal,
): Promise<void> {
  const request = toRequest(incoming, gone);
  if (!request) {
    outgoing.writeHead(400).end();
    return;
  }
  const response = await handler(request);
  if (!response) {
    outgoing.writeHead(500).end();
    return;
  }
  const cookies = response.headers.getSetCookie();
  outgoing.writeHead(response.status, {
    ...Object.fromEntries(response.headers),
    ...(cookies.length > 0 ? { "set-cookie": cookies } : {}),
  });
  outgoing.flushHeaders();
  if (response.body) await pipe(response.body, outgoing, gone);
  outgoing.end();
}

/** A host with an optional port (RFC 9110, section 7.2). Anything else, such as a slash, would become a part of the path. */
const HOST = /^(?:\[[\da-f:.]+\]|[^\s/?#@\\:[\]]+)(?::\d{1,5})?$/i;

/**
 * Parts of a URL that are parsed to something else than is written: dots that leave a folder, backslashes, and a fragment. A check of
 * the path in front of the handler would see another path than the handler.
 */
const AMBIGUOUS_PATH = /^[^?]*(?:\\|\/(?:\.|%2e){1,2}(?:[/?]|$))|[#\s]/i;

/** The address of a request; undefined if its host or path is not valid. The client writes both. */
function toAddress({ url = "/", headers: { host = "localhost" }, headersDistinct }: NodeRequest): string | undefined {
  // Of two hosts (RFC 9112, section 3.2), or of one that is parsed to another, a check in front may have seen the other one.
  if (Number(headersDistinct["host"]?.length) > 1) return undefined;
  if (!url.startsWith("/") || AMBIGUOUS_PATH.test(url) || !HOST.test(host)) return undefined;
  const address = `http://${host}${url}`;
  const read = URL.parse(address)?.hostname;
  const isSame = read === host.replace(/:\d+$/, "").toLowerCase() || /\P{ASCII}/u.test(host);
  return read !== undefined && isSame ? address : undefined;
}

function toRequest(incoming: NodeRequest, signal: AbortSignal): Request | undefined {
  const { method = "GET" } = incoming;
  const address = toAddress(incoming);
  if (address === undefined) return undefined;
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headersDistinct)) {
    for (const one of value ?? []) headers.append(name, one);
  }
  if (method === "GET" || method === "HEAD") return new Request(address, { method, headers, signal });
  // A streaming body needs `duplex`, which TypeScript's types of fetch lack.
  const init = { method, headers, signal, body: toBody(incoming), duplex: "half" } as RequestInit;
  const read = readBody(incoming);
  if (read === undefined) return new Request(address, init);
  // They describe the bytes that the middleware has read.
  headers.delete("content-length");
  headers.delete("content-encoding");
  return new Request(address, { method, headers, signal, body: read });
}

/** The body that a middleware has read, if it can be told from what the middleware made of it. */
function readBody({ readableEnded, body, headers }: NodeRequest): string | Uint8Array<ArrayBuffer> | undefined {
  if (!readableEnded || body === undefined) return undefined;
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return new Uint8Array(body);
  return /^application\/(?:[^;]*\+)?json\b/i.test(headers["content-type"] ?? "") ? JSON.stringify(body) : undefined;
}

function isBodyLost(incoming: NodeRequest): boolean {
  const { "content-length": length = "0", "transfer-encoding": coding } = incoming.headers;
  const hasBody = length !== "0" || coding !== undefined;
  return incoming.readableEnded && hasBody && readBody(incoming) === undefined;
}

function toBody(incoming: NodeRequest): ReadableStream<Uint8Array> {
  const pieces: AsyncIterator<Uint8Array> = incoming.iterator({ destroyOnReturn: false });
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      // The connection stays open, because the response is still to be sent.
      cancel: () => void pieces.return?.().catch(() => {}),
    },
    { highWaterMark: 0 },
  );
}

/** Unread bytes would be parsed as the next request, and closing the connection instead would lose the response. */
function discardRest(incoming: NodeRequest, timeoutMs: number): void {
  if (incoming.readableEnded || incoming.destroyed) return;
  const cancel = startTimer(() => incoming.destroy(), timeoutMs);
  incoming.once("close", cancel);
  incoming.resume();
}

async function pipe(body: ReadableStream<Uint8Array>, outgoing: NodeResponse, gone: AbortSignal): Promise<void> {
  const reader = body.getReader();
  const leave = (): void => void reader.cancel().catch(() => {});
  if (gone.aborted) leave();
  gone.addEventListener("abort", leave, { once: true });
  const waitForRoom = createWriteGate(outgoing);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (!outgoing.write(value)) await waitForRoom();
  }
}

/**
 * Returns a function that resolves when more can be written, or never can. One pair of listeners serves the whole
 * response: a slow client would otherwise add a pair for each chunk.
 */
function createWriteGate(outgoing: NodeResponse): () => Promise<void> {
  let open = (): void => {};
  const wake = (): void => open();
  outgoing.on("drain", wake);
  outgoing.on("close", wake);
  return () =>
    new Promise((resolve) => {
      open = resolve;
      if (outgoing.destroyed) resolve();
    });
}
