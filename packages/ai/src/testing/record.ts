/** Records what goes over the wire, without its secrets. */
import { collectSecrets, redact } from "../transport/redact.js";
import { type CassetteLine, encodeChunk } from "./cassette.js";

/** Where a recording goes. */
export interface RecordOptions {
  /** Takes each line of the cassette, without a line break, as soon as it is known. */
  onLine: (line: string) => void;
  /** Sends the requests. Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch;
  /** Further values that must not be recorded. */
  secrets?: readonly string[];
  /** Milliseconds. Default `performance.now`. */
  now?: () => number;
}

const REQUEST_HEADERS = new Set(["accept", "anthropic-beta", "anthropic-version", "content-type", "openai-beta"]);
const RESPONSE_HEADERS = new Set([
  "content-type",
  "retry-after",
  "retry-after-ms",
  "x-should-retry",
  "request-id",
  "x-request-id",
]);
const KEY_PARAMETERS = ["key", "api_key", "apikey", "access_token", "token"];

/**
 * Wraps `fetch` so that each exchange is written to a cassette: the request, the status, harmless headers, and the body
 * piece by piece with its timing. Give it as the option `fetch` of a call. Credentials are left out.
 *
 * @example
 * const lines: string[] = [];
 * await complete(model, context, { fetch: record({ onLine: (line) => lines.push(line) }) });
 * await writeFile("answer.jsonl", lines.join("\n"));
 */
export function record(options: RecordOptions): typeof globalThis.fetch {
  const now = options.now ?? (() => performance.now());
  let exchanges = 0;
  return async (input, init) => {
    const request = new Request(input, init);
    const exchange = exchanges++;
    const begin = now();
    const secrets = collectSecrets(
      [...(options.secrets ?? []), ...keysInUrl(request.url), ...keysInHeaders(request.headers)],
      Object.fromEntries(request.headers),
    );
    const write = (line: CassetteLine): void => options.onLine(redact(JSON.stringify(line), secrets));
    const at = (): number => Math.round(now() - begin);
    const body = await request.clone().text();
    write({
      type: "request",
      exchange,
      method: request.method,
      url: withoutKeys(request.url),
      headers: keep(request.headers, REQUEST_HEADERS),
      body: parse(body),
    });
    const response = await (options.fetch ?? globalThis.fetch)(
      request,
      init?.redirect ? { redirect: init.redirect } : undefined,
    );
    write({
      type: "response",
      exchange,
      at: at(),
      status: response.status,
      headers: keep(response.headers, RESPONSE_HEADERS),
    });
    if (!response.body) {
      write({ type: "end", exchange, at: at() });
      return response;
    }
    const copy = recordBody(response.body, {
      onChunk: (bytes) => write({ type: "chunk", exchange, at: at(), ...encodeChunk(bytes) }),
      onEnd: (error) => write({ type: "end", exchange, at: at(), ...(error === undefined ? {} : { error }) }),
    });
    return new Response(copy, { status: response.status, statusText: response.statusText, headers: response.headers });
  };
}

/** Passes a body on, and tells of every piece. The reader's pace is kept, and its leaving is passed on. */
function recordBody(
  body: ReadableStream<Uint8Array>,
  listener: { onChunk: (bytes: Uint8Array) => void; onEnd: (error?: string) => void },
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (done) {
            listener.onEnd();
            controller.close();
          } else {
            listener.onChunk(value);
            controller.enqueue(value);
          }
        } catch (error) {
          listener.onEnd(error instanceof Error ? error.message : String(error));
          controller.error(error);
        }
      },
      cancel: (reason) => {
        listener.onEnd();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

function keep(headers: Headers, names: ReadonlySet<string>): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => names.has(name)));
}

/** The values of headers that carry credentials, by whatever name. */
function keysInHeaders(headers: Headers): string[] {
  const carriers = [...headers].filter(([name]) => /auth|key|token|secret|cookie|credential|signature/i.test(name));
  return carriers.map(([, value]) => value);
}

function keysInUrl(url: string): string[] {
  const { searchParams } = new URL(url);
  return KEY_PARAMETERS.flatMap((name) => searchParams.getAll(name));
}

function withoutKeys(url: string): string {
  const clean = new URL(url);
  for (const name of KEY_PARAMETERS) clean.searchParams.delete(name);
  return clean.href;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
