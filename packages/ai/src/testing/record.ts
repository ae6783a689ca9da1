/** Records HTTP exchanges without their secrets. */

import { ConfigError } from "../errors.js";
import { customValues, isRecordedHeader, keysInUrl, secretsInBody, withoutKeys } from "../transport/index.js";
import { formatThrownValue } from "../utils/diagnostics.js";
import { isRecord } from "../utils/is-object.js";
import { nameValue } from "../utils/name-value.js";
import { checkOptionNames, type OptionNames } from "../utils/nearest-names.js";
import { tryParseJson } from "../utils/read-text.js";
import { collectSecrets, redact } from "../utils/redact.js";
import { BodyRedactor } from "./body-redactor.js";
import { type CassetteLine, encodeChunk } from "./cassette.js";

/** The destination of a recording, and what it omits. */
export interface RecordOptions {
  /** Receives each line of the cassette, without a line break, as soon as it is complete. */
  onLine: (line: string) => void;
  /** Sends the requests. Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Further values that must not be recorded. */
  secrets?: readonly string[] | undefined;
  /** The clock, in milliseconds. Default `performance.now`. */
  now?: (() => number) | undefined;
}

const RESPONSE_HEADERS = new Set([
  "content-type",
  "retry-after",
  "retry-after-ms",
  "x-should-retry",
  "request-id",
  "x-request-id",
]);

const NAMES: OptionNames<RecordOptions> = {
  onLine: true,
  fetch: true,
  secrets: true,
  now: true,
};

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
  checkOptionNames("record", options, NAMES);
  if (typeof options.onLine !== "function")
    throw new ConfigError(
      `record needs onLine, such as { onLine: (line) => lines.push(line) }, not ${nameValue(options.onLine)}`,
    );
  const now = options.now ?? (() => performance.now());
  let exchanges = 0;
  return async (input, init) => {
    const request = new Request(input, init);
    const exchange = exchanges++;
    const begin = now();
    const body = await request.clone().text();
    const form = isForm(request.headers) ? [...new URLSearchParams(body)] : [];
    const secrets = collectSecrets(
      [
        ...(options.secrets ?? []),
        ...keysInUrl(request.url),
        ...secretsInBody(tryParseJson(body)),
        ...credentialsOf(form),
      ],
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
    // A login server answers forms, with tokens that nothing has named before.
    const tokens = form.length > 0 ? credentialsOf(Object.entries(Object(tryParseJson(await peek(response))))) : [];
    if (!response.body) {
      write({ type: "end", exchange, at: at() });
      return response;
    }
    const chunks = new BodyRedactor(collectSecrets([...received, ...tokens]), (bytes, time) =>
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

const isForm = (headers: Headers): boolean =>
  /^application\/x-www-form-urlencoded\b/i.test(headers.get("content-type") ?? "");

const peek = async (response: Response): Promise<string> => (response.body ? response.clone().text() : "");

/** Values of the fields of OAuth: codes, tokens, secrets, assertions. */
function credentialsOf(fields: readonly (readonly [string, unknown])[]): string[] {
  return fields.flatMap(([name, value]) =>
    typeof value === "string" && CREDENTIAL.test(name) && !PUBLIC_FIELD.test(name) ? [value] : [],
  );
}

const CREDENTIAL = /token|secret|code|verifier|assertion|password/i;
const PUBLIC_FIELD = /_type$|_method$|_uri$|^error/i;

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
