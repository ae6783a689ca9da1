/**
 * A handler of requests as a listener of Node's `http` server. What it needs of Node is written down here: who serves from
 * a worker has no types of Node.
 */
import { toTimerDelay } from "./limits.js";

/** As much of `http.IncomingMessage` as is used. */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: { readonly host?: string | undefined };
  readonly headersDistinct: { readonly [name: string]: string[] | undefined };
  readonly readableEnded: boolean;
  readonly destroyed: boolean;
  iterator(options: { destroyOnReturn: boolean }): AsyncIterator<Uint8Array>;
  once(event: string, listener: () => void): unknown;
  resume(): unknown;
  destroy(): unknown;
}

/** As much of `http.ServerResponse` as is used. */
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

/** Written by a handler like that of `createProxyHandler`, and by many frameworks. */
export type RequestHandler = (request: Request) => Response | Promise<Response>;

/** How Node's connections are served. */
export interface NodeListenerOptions {
  /**
   * Milliseconds for which the rest of a request is still taken, and thrown away, once it is answered: a client that is
   * in the middle of sending would not see the answer otherwise. Default 30,000.
   */
  discardTimeoutMs?: number;
}

const DISCARD_TIMEOUT_MS = 30_000;

/**
 * Makes a listener for `http.createServer`. A client that goes away aborts the request's signal and cancels the answer's
 * body; one that reads slowly slows the answer down.
 *
 * @example
 * http.createServer(toNodeListener(createProxyHandler(options))).listen(8080);
 */
export function toNodeListener(
  handler: RequestHandler,
  { discardTimeoutMs = DISCARD_TIMEOUT_MS }: NodeListenerOptions = {},
): (request: NodeRequest, response: NodeResponse) => void {
  const discardDelay = toTimerDelay("discardTimeoutMs", discardTimeoutMs);
  return (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.on("close", () => {
      if (!outgoing.writableFinished) gone.abort();
    });
    outgoing.on("error", () => gone.abort());
    respond(handler, incoming, outgoing, gone.signal).then(
      () => discardRest(incoming, discardDelay),
      () => outgoing.destroy(),
    );
  };
}

async function respond(
  handler: RequestHandler,
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
  const cookies = response.headers.getSetCookie();
  outgoing.writeHead(response.status, {
    ...Object.fromEntries(response.headers),
    ...(cookies.length > 0 ? { "set-cookie": cookies } : {}),
  });
  outgoing.flushHeaders();
  if (response.body) await pipe(response.body, outgoing, gone);
  outgoing.end();
}

function toRequest(incoming: NodeRequest, signal: AbortSignal): Request | undefined {
  const { method = "GET", url = "/" } = incoming;
  const address = `http://${incoming.headers.host ?? "localhost"}${url}`;
  if (!url.startsWith("/") || !URL.canParse(address)) return undefined;
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headersDistinct)) {
    for (const one of value ?? []) headers.append(name, one);
  }
  if (method === "GET" || method === "HEAD") return new Request(address, { method, headers, signal });
  // TypeScript's types of fetch lack `duplex`, which a body that streams must have.
  const init = { method, headers, signal, body: toBody(incoming), duplex: "half" } as RequestInit;
  return new Request(address, init);
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
      // The connection stays: an answer is still to be sent.
      cancel: () => void pieces.return?.().catch(() => {}),
    },
    { highWaterMark: 0 },
  );
}

/** What is not read would be taken for the next request, and a connection that is closed instead takes the answer along. */
function discardRest(incoming: NodeRequest, timeoutMs: number): void {
  if (incoming.readableEnded || incoming.destroyed) return;
  const timer = setTimeout(() => incoming.destroy(), timeoutMs);
  incoming.once("close", () => clearTimeout(timer));
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
