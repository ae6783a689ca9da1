/** Plays a recording instead of using the network. */

import { ConfigError } from "../errors.js";
import { secretsInBody, withoutKeys } from "../transport/index.js";
import { isObject } from "../utils/is-object.js";
import { nameValue } from "../utils/name-value.js";
import { checkOptionNames, type OptionNames } from "../utils/nearest-names.js";
import { tryParseJson } from "../utils/read-text.js";
import { collectSecrets, redact } from "../utils/redact.js";
import { shortenText } from "../utils/shorten-text.js";
import { decodeChunk, type Exchange, parseCassette } from "./cassette.js";

/** How a recording is played. */
export interface ReplayOptions {
  /** `"recorded"` keeps the delays between the pieces. Default `"instant"`. */
  pace?: "instant" | "recorded" | undefined;
  /**
   * Whether a request must match the recorded one: same method, path and body. Default true. A function may change both
   * bodies before the comparison, to remove what differs on every run.
   */
  strict?: (boolean | ((body: unknown) => unknown)) | undefined;
}

/** A `fetch` that tracks the unused part of the recording. */
export interface ReplayFetch {
  (...call: Parameters<typeof globalThis.fetch>): Promise<Response>;
  /** Throws if recorded exchanges were not used. */
  assertDone(): void;
}

const NAMES: OptionNames<ReplayOptions> = {
  pace: true,
  strict: true,
};

/**
 * Creates a `fetch` that responds with the recorded exchanges, in order. A request that differs from the recorded one
 * fails with an error that shows the difference.
 *
 * @param cassette the text of a cassette, as {@link record} wrote it
 */
export function replay(cassette: string, options: ReplayOptions = {}): ReplayFetch {
  checkOptionNames("replay", options, NAMES);
  if (typeof cassette !== "string")
    throw new ConfigError(
      `replay needs the text of a recording, such as readFileSync("a.jsonl", "utf8"), not ${nameValue(cassette)}`,
    );
  const exchanges = parseCassette(cassette);
  let next = 0;
  const fetch = async (...[input, init]: Parameters<typeof globalThis.fetch>): Promise<Response> => {
    const request = new Request(input, init);
    const exchange = exchanges[next];
    if (!exchange)
      throw new Error(
        `The cassette has ${exchanges.length} exchanges, and this is request ${next + 1}: ${request.method} ${withoutKeys(request.url)}`,
      );
    next++;
    await compare(exchange, request, options.strict ?? true, next);
    return response(exchange, options.pace ?? "instant", init?.signal ?? request.signal);
  };
  const assertDone = (): void => {
    const rest = exchanges.slice(next);
    if (rest.length === 0) return;
    const urls = rest.map(({ request }) => `${request.method} ${request.url}`);
    throw new Error(`${rest.length} recorded exchanges were never requested:\n${urls.join("\n")}`);
  };
  return Object.assign(fetch, { assertDone });
}

async function compare(
  exchange: Exchange,
  request: Request,
  strict: NonNullable<ReplayOptions["strict"]>,
  number: number,
): Promise<void> {
  if (strict === false) return;
  const normalize = typeof strict === "function" ? strict : (body: unknown) => body;
  const recorded = {
    method: exchange.request.method,
    path: pathOf(exchange.request.url),
    body: normalize(exchange.request.body),
  };
  const given = await request.clone().text();
  // The recording has no credentials.
  const text = redact(given, collectSecrets(secretsInBody(tryParseJson(given))));
  const sent = { method: request.method, path: pathOf(request.url), body: normalize(tryParseJson(text, text)) };
  const difference = describeDifference(recorded, sent);
  if (difference) throw new Error(`Request ${number} differs from the recorded one:\n${difference}`);
}

/** Ignores host and port, because a recording may be played for another base URL, and keys, which it does not have. */
function pathOf(url: string): string {
  return new URL(withoutKeys(url)).pathname;
}

function response({ response, chunks, end }: Exchange, pace: "instant" | "recorded", signal: AbortSignal): Response {
  let position = 0;
  let time = response.at;
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const line = chunks[position++] ?? end;
        if (pace === "recorded" && line && line.at > time) await sleep(line.at - time, signal);
        time = line?.at ?? time;
        if (line?.type === "chunk") controller.enqueue(decodeChunk(line));
        else if (end?.error === undefined) controller.close();
        else controller.error(new Error(end.error));
      },
    },
    { highWaterMark: 0 },
  );
  const bodiless = response.status === 204 || response.status === 304;
  return new Response(bodiless ? null : body, { status: response.status, headers: response.headers });
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

/** Maximum number of listed places. */
const MAX_PLACES = 10;
const MAX_VALUE_LENGTH = 120;

interface Pair {
  path: string;
  expected: unknown;
  actual: unknown;
}

/** One line for each difference, `path: expected …, got …`; undefined if there is none. */
function describeDifference(expected: unknown, actual: unknown): string | undefined {
  const lines: string[] = [];
  const waiting: Pair[] = [{ path: "", expected, actual }];
  for (let pair = waiting.pop(); pair; pair = waiting.pop()) {
    const inner = innerPairs(pair);
    if (inner) waiting.push(...inner.reverse());
    else if (!Object.is(pair.expected, pair.actual)) lines.push(describePair(pair));
  }
  if (lines.length === 0) return undefined;
  const more = lines.length > MAX_PLACES ? [`  … and ${lines.length - MAX_PLACES} more places`] : [];
  return [...lines.slice(0, MAX_PLACES), ...more].join("\n");
}

/** The fields of two objects, or the items of two lists; undefined if the values themselves must be compared. */
function innerPairs({ path, expected, actual }: Pair): Pair[] | undefined {
  if (!isObject(expected) || !isObject(actual) || Array.isArray(expected) !== Array.isArray(actual)) return undefined;
  const keys = new Set([...Object.keys(expected), ...Object.keys(actual)]);
  return [...keys].map((key) => ({
    path: path === "" ? key : `${path}.${key}`,
    expected: Reflect.get(expected, key),
    actual: Reflect.get(actual, key),
  }));
}

function describePair({ path, expected, actual }: Pair): string {
  return `  ${path || "(root)"}: expected ${show(expected)}, got ${show(actual)}`;
}

function show(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return shortenText(text, MAX_VALUE_LENGTH, { head: MAX_VALUE_LENGTH, mark: () => "…" });
}
