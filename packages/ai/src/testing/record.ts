/** Records HTTP exchanges without their secrets. */

import { ConfigError } from "../errors.js";
import { customValues, isRecordedHeader, keysInUrl, secretsInBody, withoutKeys } from "../transport/index.js";
import { formatThrownValue } from "../utils/diagnostics.js";
import { isRecord } from "../utils/is-object.js";
import { nameValue } from "../utils/name-value.js";
import { checkOptionNames, type OptionNames } from "../utils/nearest-names.js";
import { tryParseJson } from "../utils/read-text.js";
import { characterPatterns, collectSecrets, longestForm, REDACTED, redact, secretsPatterns } from "../utils/redact.js";
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

// Removes secrets from a body that is recorded in pieces, even if a secret is split over pieces or surrounded by bytes
// that are not UTF-8. Works on binary strings, in which each character is a byte.

interface Piece {
  bytes: string;
  at: number;
}

class BodyRedactor {
  readonly #patterns: readonly RegExp[];
  /** A piece is held back while a secret that starts in it may continue in a later piece. */
  readonly #findOpenSecret: (text: string) => number;
  readonly #onPiece: (bytes: Uint8Array, at: number) => void;
  #held: Piece[] = [];

  /** @param onPiece receives each piece without secrets, with the time of its arrival */
  constructor(secrets: readonly string[], onPiece: (bytes: Uint8Array, at: number) => void) {
    const binary = secrets.map((secret) => toBinary(new TextEncoder().encode(secret)));
    this.#patterns = secretsPatterns(binary);
    this.#findOpenSecret = createPrefixSearch(binary, longestForm(binary));
    this.#onPiece = onPiece;
  }

  push(bytes: Uint8Array, at: number): void {
    this.#held.push({ bytes: toBinary(bytes), at });
    this.#release(this.#findOpenSecret);
  }

  end(): void {
    this.#release((text) => text.length);
  }

  /** Passes on the pieces that end before the position from which bytes are held back. */
  #release(findHeld: (text: string) => number): void {
    const text = this.#held.map(({ bytes }) => bytes).join("");
    const matches = this.#patterns.flatMap((pattern) => [...text.matchAll(pattern)]);
    const found = matches.map(toRange).sort((one, other) => one.start - other.start);
    const heldFrom = findHeld(text);
    let start = 0;
    const held: Piece[] = [];
    for (const { bytes, at } of this.#held) {
      const end = start + bytes.length;
      if (end <= heldFrom && held.length === 0) this.#onPiece(toBytes(cutRanges(text, start, end, found)), at);
      // The rest of a secret that started in an earlier piece is passed on with this one.
      else held.push({ bytes: held.length === 0 ? text.slice(endOfRangeAt(start, found), end) : bytes, at });
      start = end;
    }
    this.#held = held;
  }
}

interface Range {
  start: number;
  end: number;
}

function toRange(match: RegExpExecArray): Range {
  return { start: match.index, end: match.index + match[0].length };
}

/** The text from `start` to `end`. A secret is replaced at its start, and its rest is omitted. */
function cutRanges(text: string, start: number, end: number, ranges: readonly Range[]): string {
  let clean = "";
  let position = start;
  for (const range of ranges) {
    if (range.end <= start || range.start >= end) continue;
    clean += text.slice(position, Math.max(position, range.start)) + (range.start >= start ? REDACTED : "");
    position = Math.min(range.end, end);
  }
  return clean + text.slice(position, end);
}

/** The end of the range that starts before a position and extends past it, or the position itself. */
function endOfRangeAt(place: number, ranges: readonly Range[]): number {
  return ranges.find(({ start, end }) => start < place && end > place)?.end ?? place;
}

function toBinary(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

function toBytes(binary: string): Uint8Array {
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** The start of an escape or of an encoded character, which only the next characters can resolve. */
const OPEN_ESCAPE = /^(?:\\+(?:u[\da-f]{0,3})?|%(?:25)*(?:2|[\da-f])?)$/i;

/**
 * Creates a function that returns the position at the end of a text from which it may continue as a secret, or the
 * text's length.
 *
 * @param longest maximum length of a secret in any form
 */
function createPrefixSearch(secrets: readonly string[], longest: number): (text: string) => number {
  const forms = secrets
    .flatMap(characterPatterns)
    .map((characters) => characters.map((pattern) => new RegExp(pattern, "iy")));
  const firstCharacters = new Set<string>(["\\", "%"]);
  for (let code = 0; code < 256; code++) {
    const character = String.fromCharCode(code);
    if (forms.some(([first]) => first && matchEnd(first, character, 0) > 0)) firstCharacters.add(character);
  }
  return (text) => {
    for (let start = Math.max(0, text.length - longest); start < text.length; start++) {
      if (firstCharacters.has(text.charAt(start)) && forms.some((form) => isOpen(form, text, start))) return start;
    }
    return text.length;
  };
}

/** Whether the text from `start` to its end is the beginning of a form, but not the whole form. */
function isOpen(form: readonly RegExp[], text: string, start: number): boolean {
  let position = start;
  for (const character of form) {
    if (position === text.length) return true;
    const end = matchEnd(character, text, position);
    if (end === 0) return OPEN_ESCAPE.test(text.slice(position, position + 16)) && position + 16 >= text.length;
    position = end;
  }
  return false;
}

/** The end of the match at a position; 0 if there is none. */
function matchEnd(sticky: RegExp, text: string, position: number): number {
  sticky.lastIndex = position;
  return sticky.test(text) ? sticky.lastIndex : 0;
}
