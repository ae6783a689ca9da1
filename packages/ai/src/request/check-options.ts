/** Checks the options whose errors must surface before a stream exists. */
import { ConfigError } from "../errors.js";
import type { ResponseLimits, StreamOptions } from "../types/options.js";
import { checkCount, checkDuration } from "../utils/duration.js";
import { isRecord } from "../utils/is-object.js";
import { nameValue } from "../utils/name-value.js";
import { checkOptionNames, type OptionNames } from "../utils/nearest-names.js";

/** Says what a value must be; undefined if it is that. */
type Check = (value: unknown) => string | undefined;

const ofType =
  (type: string, expected: string): Check =>
  (value) =>
    typeof value === type ? undefined : expected;
const oneOf =
  (...words: readonly unknown[]): Check =>
  (value) =>
    words.includes(value) ? undefined : `one of ${words.map((word) => JSON.stringify(word)).join(", ")}`;
const isFunction = ofType("function", "a function");

/** With the words of single apis. Anthropic and Bedrock would read any other word as `auto` where a model thinks. */
const TOOL_CHOICES = /^(?:auto|none|required|any|validated|AUTO|NONE|ANY|VALIDATED)$/;

/** Options whose wrong value would be sent, ignored, or fail with a text that does not name it. */
const CHECKS: Readonly<Record<string, Check>> = {
  apiKey: ofType("string", "a string"),
  maxTokens: (value) => (Number.isInteger(value) && Number(value) > 0 ? undefined : "a whole number of 1 or more"),
  temperature: (value) => (Number.isFinite(value) ? undefined : "a number"),
  headers: (value) => (isPlain(value) ? undefined : 'an object such as { "x-name": "value" }'),
  onPayload: isFunction,
  onResponse: isFunction,
  fetch: isFunction,
  apiKeyFor: isFunction,
  transport: oneOf("auto", "sse", "websocket", "websocket-cached"),
  cacheRetention: oneOf("none", "short", "long"),
  foreignThinking: oneOf("text", "drop"),
  sessionId: ofType("string", "a string"),
  conversation: oneOf("thread"),
  metadata: (value) => (isMetadata(value) ? undefined : 'an object such as { user_id: "u1" }'),
  toolChoice: (value) =>
    isRecord(value) || TOOL_CHOICES.test(String(value))
      ? undefined
      : '"auto", "none", "required" or the api\'s own form',
};

/** Limits that throw themselves, for what would be no limit. */
const LIMITS: Readonly<Record<string, (name: string, value: never) => unknown>> = {
  timeoutMs: checkDuration,
  idleTimeoutMs: checkDuration,
  afterStopTimeoutMs: checkDuration,
  maxRetryDelayMs: checkDuration,
  maxRetries: checkCount,
  limits: (name, value) => checkOptionNames(name, value, RESPONSE_LIMITS),
};

const RESPONSE_LIMITS: OptionNames<ResponseLimits> = {
  eventLength: true,
  argumentsLength: true,
  responseLength: true,
  blocks: true,
};

/** An instance of `Headers` or a `Map` has no fields: all of its entries would be left out. */
function isPlain(value: unknown): boolean {
  return isRecord(value) && !(Symbol.toStringTag in value);
}

/** Anthropic, which alone reads it, takes one field: a text. */
function isMetadata(value: unknown): boolean {
  return isRecord(value) && (value["user_id"] === undefined || typeof value["user_id"] === "string");
}

/** A key may be null, as an environment without one gives it. */
const MAY_BE_NULL: ReadonlySet<string> = new Set(["apiKey"]);

/** A key is never shown. */
function nameOption(name: string, value: unknown): string {
  return name === "apiKey" || name === "headers"
    ? `of the type ${Array.isArray(value) ? "list" : typeof value}`
    : nameValue(value);
}

/** @throws ConfigError that names the problem and the fix */
export function checkOptions(options: StreamOptions | undefined): void {
  // JavaScript callers may pass anything.
  const given: unknown = options;
  if (given === undefined) return;
  if (typeof given !== "object" || given === null) {
    throw new ConfigError(`The options must be an object, not ${nameValue(given)}; omit them if there are none`);
  }
  for (const [name, check] of Object.entries(CHECKS)) {
    const value: unknown = Reflect.get(given, name);
    const isUnset = value === undefined || (value === null && MAY_BE_NULL.has(name));
    const expected = isUnset ? undefined : check(value);
    if (expected) throw new ConfigError(`The option ${name} must be ${expected}, not ${nameOption(name, value)}`);
  }
  for (const [name, check] of Object.entries(LIMITS)) {
    const value: unknown = Reflect.get(given, name);
    if (value !== undefined) check(name, value as never); // each check refuses other types
  }
  const signal: unknown = Reflect.get(given, "signal");
  if (signal !== undefined && !isAbortSignal(signal)) {
    throw new ConfigError("The option signal must be an AbortSignal, for example the signal of an AbortController");
  }
}

/** Checked by its members, because a signal may come from another realm or a polyfill. */
function isAbortSignal(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof Reflect.get(value, "aborted") === "boolean" &&
    typeof Reflect.get(value, "addEventListener") === "function"
  );
}
