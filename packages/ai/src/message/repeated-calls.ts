/**
 * Finds tool calls that a server wrote twice. The same id, name and arguments are one call, however they come: at two places
 * of the response, in pieces and then whole, or announced at one place and complete at another. Other arguments under one id
 * are another call.
 */

import type { AssistantBlock, ToolCall } from "../types/message.js";
import { isText, tryParseJson } from "../utils/read-text.js";
import { type ToolCallSlot, wholeArguments } from "./blocks.js";
import type { BlockFields, BlockKey, BlockStart, MessageSink } from "./message-sink.js";
import type { ToolArguments } from "./tool-arguments.js";

type CallStart = Extract<BlockStart, { type: "toolCall" }>;

/** A call whose id the response has used before. It becomes a block when its end shows that it is another call. */
interface HeldCall {
  start: CallStart;
  text: ToolArguments;
}

/** The message that the calls belong to. */
interface CallHost {
  sink: Pick<MessageSink, "open" | "append" | "close" | "note">;
  blockOf(slot: ToolCallSlot): AssistantBlock | undefined;
  /** Adds to the arguments of a call. */
  grow(slot: ToolCallSlot, delta: string): void;
  set(slot: ToolCallSlot, fields: BlockFields): void;
}

/** The calls under one id. */
interface SameId {
  first: ToolCallSlot;
  /** Names and arguments of the other calls. */
  others: Set<string>;
  /** Those of the first one, for its text of that length. */
  known: { length: number; identity: string } | undefined;
}

/** Holds the calls of one response that may be repeated. Its work is linear in the text of the calls. */
export class RepeatedCalls {
  readonly #host: CallHost;
  readonly #byId = new Map<string, SameId>();
  readonly #held = new Map<BlockKey, HeldCall>();
  readonly #noted = new Set<string>();

  constructor(host: CallHost) {
    this.#host = host;
  }

  /** How many calls are held. */
  get size(): number {
    return this.#held.size;
  }

  clear(): void {
    this.#byId.clear();
    this.#held.clear();
    this.#noted.clear();
  }

  /** A call that is a block has this id. */
  register(id: unknown, first: ToolCallSlot): void {
    if (!isText(id) || this.#byId.has(stemOf(id))) return;
    this.#byId.set(stemOf(id), { first, others: new Set(), known: undefined });
  }

  /** Whether a call that begins may be a repeated one. It is then held. */
  hold(key: BlockKey, start: CallStart, text: ToolArguments): boolean {
    if (!isText(start.id) || !this.#byId.has(stemOf(start.id))) return false;
    this.#held.set(key, { start: { ...start }, text });
    return true;
  }

  textOf(key: BlockKey): string {
    return this.#held.get(key)?.text.text ?? "";
  }

  append(key: BlockKey, delta: string): void {
    this.#held.get(key)?.text.append(delta);
  }

  patch(key: BlockKey, fields: BlockFields): void {
    const held = this.#held.get(key);
    if (!held) return;
    const { name, thoughtSignature, namespace, caller } = fields;
    const given = Object.entries({ name, thoughtSignature, namespace, caller });
    // A fragment without a name has an empty one.
    Object.assign(held.start, Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== "")));
  }

  close(key: BlockKey, final: string | BlockFields | undefined): void {
    const soFar = this.textOf(key);
    if (typeof final === "object") this.patch(key, final);
    else if (final?.startsWith(soFar)) this.append(key, final.slice(soFar.length));
    this.settle(key);
  }

  settleAll(): void {
    for (const key of [...this.#held.keys()]) this.settle(key);
  }

  /** The held call has ended: it is dropped if it repeats another one, else it becomes a block. */
  settle(key: BlockKey): void {
    const held = this.#held.get(key);
    const same = held && this.#byId.get(stemOf(held.start.id ?? ""));
    if (!held || !same) return;
    this.#held.delete(key);
    const rest = this.#restOf(held, same);
    if (rest === undefined) this.#release(key, held);
    else this.#drop(held, same.first, rest);
  }

  /** The text that a held call adds to the arguments of the first one. Undefined if it is another call. */
  #restOf({ start, text }: HeldCall, same: SameId): string | undefined {
    const firstName = this.#callOf(same.first)?.name ?? "";
    const name = start.name || firstName;
    const args = argumentsOf(text, start.arguments);
    const rest = name === firstName || firstName === "" ? restOf(same.first, args) : undefined;
    if (rest !== undefined) return rest;
    const identity = identityOf(name, args);
    if (identity === firstIdentity(same, firstName) || same.others.has(identity)) return "";
    same.others.add(identity);
    return undefined;
  }

  #release(key: BlockKey, { start, text }: HeldCall): void {
    const { sink } = this.#host;
    // A second call of the same id gets another one, because a result names its call by the id.
    sink.open(key, { ...start, id: undefined });
    sink.append(key, text.text);
    sink.close(key);
  }

  #drop({ start }: HeldCall, first: ToolCallSlot, rest: string): void {
    const { type: _type, id = "", arguments: _arguments, ...fields } = start;
    if (rest !== "") this.#host.grow(first, rest);
    this.#host.set(first, { ...fields, ...this.#callOf(first), id: undefined });
    if (this.#noted.has(stemOf(id))) return;
    this.#noted.add(stemOf(id));
    this.#host.sink.note("repeated_tool_call", { id, name: this.#callOf(first)?.name });
  }

  #callOf(slot: ToolCallSlot): ToolCall | undefined {
    const block = this.#host.blockOf(slot);
    return block?.type === "toolCall" ? block : undefined;
  }
}

/**
 * The end of a text that the arguments of a call lack: nothing if they begin with it, as with a copy that was cut; the rest if
 * the call was only announced, or cut. Undefined if it is another text.
 */
function restOf(first: ToolCallSlot, text: string): string | undefined {
  const before = argumentsOf(first.text, first.whole);
  if (before.startsWith(text)) return "";
  return first.open && text.startsWith(before) ? text.slice(before.length) : undefined;
}

function firstIdentity(same: SameId, name: string): string {
  const text = argumentsOf(same.first.text, same.first.whole);
  if (same.known?.length !== text.length) same.known = { length: text.length, identity: identityOf(name, text) };
  return same.known.identity;
}

function argumentsOf(text: ToolArguments, whole: unknown): string {
  return text.text === "" ? wholeArguments(whole) : text.text;
}

/** Servers write an object again with other spaces, and with its keys in another order. */
function identityOf(name: string, text: string): string {
  return `${name} ${canonical(text === "" ? "{}" : text)}`;
}

function canonical(text: string): string {
  const value = tryParseJson(text);
  if (value === undefined) return text;
  try {
    return JSON.stringify(value, (_name, part: unknown) => {
      if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
      return Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)));
    });
  } catch {
    return text; // nested too deep to be written
  }
}

/** Ids of the Responses API are pairs, of which the first part names the call. */
function stemOf(id: string): string {
  const bar = id.indexOf("|");
  return bar === -1 ? id : id.slice(0, bar);
}
