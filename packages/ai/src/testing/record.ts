/** Records HTTP exchanges without their secrets. */
import {
  collectSecrets,
  customValues,
  isRecordedHeader,
  keysInUrl,
  redact,
  secretsInBody,
  withoutKeys,
} from "../transport/index.js";
import { formatThrownValue } from "../utils/diagnostics.js";
import { isRecord } from "../utils/is-object.js";
import { tryParseJson } from "../utils/try-parse-json.js";
import { BodyRedactor } from "./body-redactor.js";
import { type CassetteLine, encodeChunk } from "./cassette.js";

/** The destination of a recording, and what it omits. */
export interface RecordOptions {
  /** Receives each line of the cassette, without a line break, as soon as it is complete. */
  onLine: (line: string) => void;
  /** Sends the requests. Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch;
  /** Further values that must not be recorded. */
  secrets?: readonly string[];
  /** The clock, in milliseconds. Default `performance.now`. */
  now?: () => number;
}

const RESPONSE_HEADERS = new Set([
  "content-type",
  "retry-after",
  "retry-after-ms",
  "x-should-retry",
  "request-id",
  "x-request-id",
]);

/**
 * Wraps `fetch` so that each exchange is written to a cassette: the request, the status, public headers, and the body
 * in pieces with their timing. Pass it as the option `fetch` of a request. Credentials are omitted.
 *
 * @example
 * const lines: string[] = [];
 * await complete(model, context, { fetch: record({ onLine: (line) => lines.push(line) }) });
 * await writeFile("response.jsonl", lines.join("\
 * "));
 */
export function record(options: RecordOptions): typeof globalThis.fetch {
  const now = options.now ?? (() => performance.now());
  let exchanges = 0;
  return async (input, init) => {
    const request = new Request(input, init);
    const exchange = exchanges++;
    const begin = now();
    const body = await request.clone().text();
    const secrets = collectSecrets(
      [...(options.secrets ?? []), ...keysInUrl(request.url), ...secretsInBody(tryParseJson(body))],
      Object.fromEntries(request.headers),
    );
    // A custom header may be a credential. The server must not echo it into the recording.
    const received = collectSecrets([...secrets, ...customValues(request.headers)]);
    const write = (line: CassetteLine): void =>
      options.onLine(stringify(line, line.type === "request" ? secrets : received));
    const at = (): number => Math.round(now() - begin);
    write({
      type: "request",
      exchange,
      method: request.method,
      url: withoutKeys(request.url),
      headers: keep(request.headers, isRecordedHeader),
      body: tryParseJson(body, body),
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
      headers: keep(response.headers, (name) => RESPONSE_HEADERS.has(name)),
    });
    if (!response.body) {
      write({ type: "end", exchange, at: at() });
      return response;
    }
    const chunks = new BodyRedactor(received, (bytes, time) =>
      write({ type: "chunk", exchange, at: time, ...encodeChunk(bytes) }),
    );
    const copy = recordBody(response.body, {
      onChunk: (bytes) => chunks.push(bytes, at()),
      onEnd: (error) => {
        chunks.end();
        write({ type: "end", exchange, at: at(), ...(error === undefined ? {} : { error }) });
      },
    });
    return new Response(copy, { status: response.status, statusText: response.statusText, headers: response.headers });
  };
}

/** Forwards a body and reports every piece. Keeps the reader's pace, and forwards its cancellation. */
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
          listener.onEnd(formatThrownValue(error));
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

function keep(headers: Headers, isKept: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => isKept(name)));
}

/** Removes secrets before the text is escaped, so that an escape cannot hide one. */
function stringify(line: CassetteLine, secrets: readonly string[]): string {
  const clean = (text: string): string => redact(text, secrets);
  return JSON.stringify(line, (_, value: unknown) => {
    if (typeof value === "string") return clean(value);
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [clean(name), field]));
  });
}
