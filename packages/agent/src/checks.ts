/**
 * The checks of what an application passes: options, settings and messages.
 *
 * A mistake of the application throws at once, in plain JavaScript too: an option that is ignored shows only as a run that
 * costs too much, or goes on for too long.
 */
import { checkDuration, nameValue as describeValue, isRecord, nearestName } from "pi-ai/call";
import type { AgentOutput } from "./types/config.js";
import type { AgentLoopTurnUpdate } from "./types/hooks.js";
import type { AgentMessage, AgentMessageInput } from "./types/message.js";
import type { AfterToolCallResult, BeforeToolCallResult } from "./types/tool-call-hooks.js";

export { describeValue };

/** Throws unless a value fits its option. */
export type Check = (name: string, value: unknown) => void;

/** The checks of options, by name. */
export type Checks<TName extends PropertyKey = string> = Readonly<Record<TName, Check>>;

/**
 * Checks all options that are not undefined.
 *
 * @param path precedes the names in errors, such as `loops.`; empty for the options of a function or a class
 * @throws TypeError that names the option, with the nearest known name for an unknown one; ConfigError for a duration
 */
export function checkOptions(given: object, checks: Checks, path = ""): void {
  // A tag is that of a class, such as a request or a promise: its fields are none of its own, so nothing would be read.
  if (!isRecord(given) || Symbol.toStringTag in given)
    throw new TypeError(
      `${path.slice(0, -1) || "The options"} must be an object of options, not ${describeValue(given)}`,
    );
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (!check) throw unknownOption(name, Object.keys(checks), path);
    check(path + name, value);
  }
}

/** The error for an option that does not exist. */
export function unknownOption(name: string, known: readonly string[], path: string): TypeError {
  // The beginning of a name is enough: `system` for `systemPrompt`.
  const near = nearestName(name, known) ?? known.find((candidate) => candidate.startsWith(name));
  const advice = near ? `: did you mean "${path}${near}"?` : `. The options are ${known.join(", ")}.`;
  return new TypeError(`Unknown option "${path}${name}"${advice}`);
}

export const mayBeAnything: Check = () => {};

export const mustBeFunction: Check = (name, value) => {
  if (typeof value !== "function") throwWrong(name, "a function", value);
};

export const mustBeObject: Check = (name, value) => {
  if (!isRecord(value)) throwWrong(name, "an object", value);
};

export const mustBeList: Check = (name, value) => {
  if (!Array.isArray(value)) throwWrong(name, "a list", value);
};

/** Middleware that waits for an answer, with the text for an agent whose runs cannot. */
export const waitsForEngine: WeakMap<object, string> = new WeakMap();

/** Each has a name and `begin`. A promise of one would be skipped without a word. */
export const mustBeMiddlewareList: Check = (name, value) => {
  mustBeList(name, value);
  for (const [index, one] of Array.from(value as Iterable<unknown>).entries()) {
    const { name: title, begin, then } = Object(one);
    if (typeof then === "function") throw new TypeError(`${name}[${index}] is a promise. Wait for it: [await …]`);
    if (typeof title !== "string" || typeof begin !== "function")
      throw new TypeError(`${name}[${index}] must have a name and a function begin, such as limits({ ... })`);
  }
};

const OUTPUT: Checks<keyof AgentOutput> = {
  schema: mayBeAnything,
  name: mayBeAnything,
  description: mayBeAnything,
  mode: mayBeAnything,
  maxRepairs: mayBeAnything,
};

/** A schema alone would be no output, and the run would end with a text. */
export const mustBeOutput: Check = (name, value) => {
  mustBeObject(name, value);
  if (!("schema" in Object(value))) throwWrong(name, "{ schema }, such as { schema: Type.Object({ … }) }", value);
  checkOptions(Object(value), OUTPUT, `${name}.`);
};

/** A file or a folder. */
export const mustBePath: Check = (name, value) => {
  if (!(value instanceof URL || (typeof value === "string" && value !== "")))
    throwWrong(name, 'a path such as "./sessions"', value);
};

export const mustBeText: Check = (name, value) => {
  if (typeof value !== "string") throwWrong(name, "a string", value);
};

export const mustBeFlag: Check = (name, value) => {
  if (typeof value !== "boolean") throwWrong(name, "true or false", value);
};

/** A limit of time in milliseconds; 0 and `Infinity` mean no limit. */
export const mustBeDuration: Check = (name, value) => {
  // Any other type is refused.
  checkDuration(name, value as number);
};

/** A time to wait, in milliseconds. `Infinity` would be no wait, but an end. */
export const mustBeWait: Check = (name, value) => {
  if (!Number.isFinite(value) || Number(value) < 0) throwWrong(name, "a number of milliseconds of 0 or more", value);
};

/** A number of things, of which a run needs at least one. */
export const mustBeCount: Check = /* @__PURE__ */ mustBeWholeFrom(1);

/** A number of occurrences to wait for; 0 switches the watch off. */
export const mustBeCountOrOff: Check = /* @__PURE__ */ mustBeWholeFrom(0);

function mustBeWholeFrom(least: number): Check {
  return (name, value) => {
    const isWhole = Number.isInteger(value) || value === Number.POSITIVE_INFINITY;
    if (!isWhole || Number(value) < least) throwWrong(name, `a whole number of ${least} or more, or Infinity`, value);
  };
}

/** A check for one of several values. */
export function mustBeOneOf(values: readonly unknown[]): Check {
  return (name, value) => {
    if (!values.includes(value))
      throwWrong(name, `one of ${values.map((one) => JSON.stringify(one)).join(", ")}`, value);
  };
}

/** @throws TypeError */
export function throwWrong(name: string, expected: string, value: unknown): never {
  throw new TypeError(`${name} must be ${expected}, not ${describeValue(value)}`);
}

/** The fields that a hook may return. */
const RETURNED: {
  readonly beforeToolCall: readonly (keyof BeforeToolCallResult)[];
  readonly afterToolCall: readonly (keyof AfterToolCallResult)[];
  readonly prepareNextTurn: readonly (keyof AgentLoopTurnUpdate)[];
} = {
  beforeToolCall: ["block", "reason"],
  afterToolCall: ["content", "details", "isError", "terminate", "output"],
  prepareNextTurn: ["context", "model", "thinkingLevel"],
};

/**
 * Checks what a hook returned. `false` and a text read like a refusal, and a misspelt field would be ignored: a call that was to be
 * blocked would run.
 *
 * @throws TypeError that names the hook, and what it may return
 */
export function checkReturned(hook: keyof typeof RETURNED, value: unknown): void {
  const fields: readonly string[] = RETURNED[hook];
  const shape = fields.join(", ");
  // What a text or a list holds may be a secret.
  const meant = value === false ? "false" : typeof value === "string" ? "a text" : Array.isArray(value) && "a list";
  if (meant) throw new TypeError(`${hook} returned ${meant}. Return nothing or { ${shape} }`);
  const names = isRecord(value) ? Object.keys(value) : [];
  const wrong = names.find((name) => !fields.includes(name));
  if (wrong !== undefined && !names.some((name) => fields.includes(name)))
    throw new TypeError(`${hook} returned the unknown field "${wrong}". Return nothing or { ${shape} }`);
}

/** @throws TypeError for anything but a store of events, such as an agent */
export function assertStore(store: unknown): void {
  if (typeof Object(store).append !== "function" || typeof Object(store).read !== "function")
    throwWrong("The store of events", "one such as createMemoryEventStore() returns", store);
}

/**
 * Reads a clock.
 *
 * @throws TypeError if the time is not a finite number, such as a `Date`: messages would store it
 */
export function readClock(now: (() => number) | undefined): number {
  const time = now ? now() : Date.now();
  if (!Number.isFinite(time)) throwWrong("now", "a function that returns Unix milliseconds", time);
  return time;
}

const ROLES: readonly unknown[] = ["user", "assistant", "toolResult"];

/** Whether models know messages of a role. The others are the application's own. */
function isModelRole(role: unknown): boolean {
  return ROLES.includes(role);
}

/** The message, or a copy with the present time if it is one for a model and has none. It may be anything. */
export function withTime(message: AgentMessageInput, now: () => number): AgentMessage {
  const needsTime = isModelRole(message?.role) && message.timestamp === undefined;
  // The message or its copy has what its role needs.
  return (needsTime ? { ...message, timestamp: now() } : message) as AgentMessage;
}

/**
 * Checks a message with one of the roles that models know; the application's own messages may have any form.
 *
 * @param place names the argument and the position, such as `messages[3]`
 * @throws TypeError that names the place, down to the block
 */
export function assertMessage(message: unknown, place: string): void {
  mustBeObject(place, message);
  const { role, content } = Object(message);
  if (!isModelRole(role) || typeof content === "string") return;
  if (!Array.isArray(content)) throwWrong(`${place}.content`, "a string or a list of blocks", content);
  for (const [index, block] of content.entries()) {
    mustBeObject(`${place}.content[${index}]`, block);
    mustBeText(`${place}.content[${index}].type`, block.type);
    // Answers may come from anywhere, so that only what a user writes is looked at.
    if (role === "user" && block.type === "text") mustBeText(`${place}.content[${index}].text`, block.text);
  }
}
