/** Arguments that a library has parsed, and that hooks may change before the tool runs. */
import type { Tool } from "../../types/context.js";
import type { ToolCall } from "../../types/message.js";
import { isRecord } from "../../utils/is-object.js";
import { findRules } from "../../utils/library-schema.js";
import { setOwn } from "../../wire/index.js";
import { parseToolArguments } from "./validation.js";

/** The changes of a hook: properties with their new values, and the names of those that it removed. */
export interface ArgumentChanges {
  /** The new values by the names of the properties. */
  readonly set: Readonly<Record<string, unknown>>;
  /** The names of the properties that are gone. */
  readonly removed: readonly string[];
}

/** Watches arguments for changes. Undefined for a tool without rules of a library: its arguments are taken as they are. */
export function watchArguments(tool: Tool, toolCall: ToolCall, args: unknown): WatchedArguments | undefined {
  return findRules(tool.parameters) ? new WatchedArguments(tool, toolCall, args) : undefined;
}

/** The arguments of one call, compared with what the library returned. */
export class WatchedArguments {
  readonly #tool: Tool;
  readonly #toolCall: ToolCall;
  readonly #args: unknown;
  readonly #before: unknown;

  constructor(tool: Tool, toolCall: ToolCall, args: unknown) {
    this.#tool = tool;
    this.#toolCall = toolCall;
    this.#args = args;
    this.#before = copyPlain(args);
  }

  /** The properties that differ from what the library returned. Undefined if none does. */
  get changes(): ArgumentChanges | undefined {
    const [before, after] = [this.#before, this.#args];
    if (!isRecord(before) || !isRecord(after)) return undefined;
    const isChanged = (name: string): boolean => !Object.hasOwn(before, name) || !isSame(before[name], after[name]);
    const changed = Object.keys(after).filter(isChanged);
    const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
    if (changed.length + removed.length === 0) return undefined;
    const set: Record<string, unknown> = {};
    for (const name of changed) setOwn(set, name, after[name]);
    return { set, removed };
  }

  /**
   * Parses the arguments again: those of the model, with the properties that a hook has changed. What it did not touch is
   * parsed from the model's words, because a transform does not take its own output.
   *
   * @throws Error as `parseToolArguments` does
   */
  async parse({ set, removed }: ArgumentChanges): Promise<ToolCall["arguments"]> {
    const changed: Record<string, unknown> = { ...this.#toolCall.arguments };
    for (const name of removed) delete changed[name];
    for (const name of Object.keys(set)) setOwn(changed, name, set[name]);
    return parseToolArguments(this.#tool, { ...this.#toolCall, arguments: changed });
  }
}

/** Other objects, such as dates, are kept: only what JSON can hold is compared by its content. */
function copyPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyPlain);
  if (!isPlain(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) setOwn(copy, name, copyPlain(value[name]));
  return copy;
}

function isSame(before: unknown, after: unknown): boolean {
  if (Object.is(before, after)) return true;
  if (Array.isArray(before) && Array.isArray(after))
    return before.length === after.length && before.every((item, index) => isSame(item, after[index]));
  if (!isPlain(before) || !isPlain(after)) return false;
  const names = Object.keys(before);
  if (names.length !== Object.keys(after).length) return false;
  return names.every((name) => Object.hasOwn(after, name) && isSame(before[name], after[name]));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
