/** Reads the tool calls of Chat Completions and of apis modelled on it, which come in fragments. */
import { type MessageSink, wholeArguments } from "../message/index.js";
import { isRecord } from "../utils/is-object.js";
import { indexIn, textIn, tryParseJson } from "../utils/read-text.js";
import { StreamingJsonParser } from "../wire/index.js";
import { ObjectEnd } from "./object-end.js";

/** Some servers have no `function` around the name and the arguments. */
export interface WireCall extends WireFunction {
  index?: number | null;
  id?: unknown;
  function?: WireFunction | null;
}

interface WireFunction {
  name?: unknown;
  arguments?: unknown;
  [field: string]: unknown;
}

/**
 * Fields of a tool call with Gemini's signature, which must go back: of its own endpoint (ai.google.dev, "Thought signatures")
 * and of LiteLLM (docs.litellm.ai, "Gemini: thought signatures"; both 2026-11).
 */
const OWN_FIELDS = ["extra_content", "provider_specific_fields"] as const;

/** The fields that a signature holds, as a server sent them with the call. */
export function ownFieldsOf(signature: string | undefined): Record<string, unknown> | undefined {
  const value = signature?.startsWith('{"ofCall":') ? tryParseJson(signature) : undefined;
  return isRecord(value) && isRecord(value["ofCall"]) ? value["ofCall"] : undefined;
}

interface OpenCall {
  key: string;
  id: string;
  name: string;
  end: ObjectEnd;
}

/** The fields of a fragment, in the types of the wire's documents. */
interface Fragment {
  index: number | undefined;
  id: string;
  name: string;
  arguments: string;
  /** Whether the arguments came as a value, and not as a text that may go on. */
  isWhole: boolean;
}

/**
 * A fragment belongs to the tool call with its index, else to the one with its id, else to the open one. A new id with a
 * name starts a new tool call even if the index is in use; an id alone does not, because some gateways change ids.
 *
 * Servers that know neither ids nor indexes send each call with the index 0 or the same id, or without both. There another
 * name starts a new tool call, and so do arguments after a complete object. Some servers repeat the name in each fragment,
 * so the same name does so only after complete arguments.
 */
export class ToolCallTracker {
  readonly #byIndex = new Map<number, OpenCall>();
  readonly #byId = new Map<string, OpenCall>();
  /** Encrypted reasoning by the id of its tool call; it can arrive before the tool call. */
  readonly #details = new Map<string, string>();
  #current: OpenCall | undefined;
  #count = 0;

  add(wire: WireCall, sink: MessageSink): void {
    const fragment = readFragment(wire);
    const { id, name } = fragment;
    const found = this.#find(fragment);
    // It may come a second time, now with its id; the builder tells a copy from another call of one id.
    if (found?.id === "" && found.end.reached && id !== "" && name === found.name) this.#identify(found, id, sink);
    const goesOn = found && !isAnother(found, fragment);
    const call = goesOn ? found : this.#begin(fragment, found, sink);
    if (!goesOn) keepOwnFields(call, wire, sink);
    this.#current = call;
    if (name !== "" && name !== call.name) {
      call.name = isPieceOfName(call, fragment) ? call.name + name : name;
      sink.patch(call.key, { name: call.name });
    }
    if (call.id === "" && id !== "") this.#identify(call, id, sink);
    sink.append(call.key, fragment.arguments);
    call.end.read(fragment.arguments);
    if (fragment.isWhole) call.end.reach();
  }

  /** Whether the arguments of a tool call have begun and not ended. */
  hasUnfinished(sink: MessageSink): boolean {
    for (let number = 0; number < this.#count; number++) {
      if (isUnfinished(sink.textOf(`call:${number}`))) return true;
    }
    return false;
  }

  /** Whether a tool call has this id. */
  has(id: string): boolean {
    return this.#byId.has(id);
  }

  addDetails(details: readonly unknown[], sink: MessageSink): void {
    for (const detail of details) {
      if (!isEncrypted(detail)) continue;
      const signature = JSON.stringify(detail);
      this.#details.set(detail.id, signature);
      const call = this.#byId.get(detail.id);
      if (call) sink.patch(call.key, { thoughtSignature: signature });
    }
  }

  #find(fragment: Fragment): OpenCall | undefined {
    const { index, id, name } = fragment;
    if (index !== undefined) {
      const call = this.#byIndex.get(index) ?? this.#moved(fragment, index);
      const another = call && id !== "" && name !== "" && call.id !== "" && call.id !== id;
      return another ? undefined : call;
    }
    if (id !== "") return this.#byId.get(id) ?? (this.#current?.id === "" ? this.#current : undefined);
    // A name without an id starts a new tool call, unless the open one still lacks a name, or the end of its arguments.
    const current = this.#current;
    const goesOn = name === "" || current?.name === "" || (current?.name === name && current.end.isPartial);
    return goesOn ? current : undefined;
  }

  /** The open call, if its arguments go on at a new index. */
  #moved({ id, name, arguments: args }: Fragment, index: number): OpenCall | undefined {
    const call = id === "" && name === "" ? this.#current : this.#byId.get(id);
    if (!call?.end.isPartial || args.trimStart().startsWith("{")) return undefined;
    this.#byIndex.set(index, call);
    return call;
  }

  /** @param before the call that has the same index or id; it gives its name if the fragment has none */
  #begin({ index, id, name }: Fragment, before: OpenCall | undefined, sink: MessageSink): OpenCall {
    const call: OpenCall = {
      key: `call:${this.#count++}`,
      id: "",
      name: name || (before?.name ?? ""),
      end: new ObjectEnd(),
    };
    if (index !== undefined) this.#byIndex.set(index, call);
    sink.open(call.key, { type: "toolCall", id, name: call.name });
    if (id === "") return call;
    call.id = id;
    this.#byId.set(id, call);
    const thoughtSignature = this.#details.get(id);
    if (thoughtSignature !== undefined) sink.patch(call.key, { thoughtSignature });
    return call;
  }

  #identify(call: OpenCall, id: string, sink: MessageSink): void {
    if (this.#byId.has(id)) return;
    call.id = id;
    this.#byId.set(id, call);
    sink.patch(call.key, { id, thoughtSignature: this.#details.get(id) });
  }
}

function keepOwnFields({ key }: OpenCall, wire: WireCall, sink: MessageSink): void {
  const found = OWN_FIELDS.flatMap((name) => {
    const value = wire[name] ?? wire.function?.[name];
    return isRecord(value) ? [[name, value] as const] : [];
  });
  if (found.length === 0) return;
  sink.patch(key, { thoughtSignature: JSON.stringify({ ofCall: Object.fromEntries(found) }) });
}

function readFragment(wire: WireCall): Fragment {
  const called = wire.function ?? wire;
  const args = called.arguments;
  return {
    index: indexIn(wire.index),
    id: textIn(wire.id),
    name: textIn(called.name),
    arguments: wholeArguments(args),
    isWhole: typeof args === "object" && args !== null,
  };
}

/** Whether a fragment starts a new tool call, although its index or id, or the lack of both, says that it goes on. */
function isAnother(call: OpenCall, { id, name, arguments: args, isWhole }: Fragment): boolean {
  const isSameId = id !== "" && id === call.id;
  // llama.cpp sends a name that grows again, whole (tools/server/server-chat.cpp, 2026-11).
  const mayGrow = isSameId || name.startsWith(call.name) || isPieceOfName(call, { id, name });
  if (name !== "" && call.name !== "" && name !== call.name && (call.end.reached || !mayGrow)) return true;
  // A server that gives ids, gives each call one: what follows without a name is a fault of the model.
  const mayBegin = name !== "" || call.id === "";
  return mayBegin && call.end.reached && (isWhole || args.trimStart().startsWith("{"));
}

/** Whether a name goes on that came in pieces. Fragments without an id belong to the call of their index that has one. */
function isPieceOfName(
  { id: known, name: before, end }: OpenCall,
  { id, name }: Pick<Fragment, "id" | "name">,
): boolean {
  const isSame = known !== "" && (id === "" || id === known);
  return isSame && !end.isPartial && !end.reached && !name.startsWith(before);
}

function isEncrypted(detail: unknown): detail is { id: string } {
  if (typeof detail !== "object" || detail === null || !("id" in detail) || !("type" in detail)) return false;
  return detail.type === "reasoning.encrypted" && typeof detail.id === "string" && detail.id !== "";
}

function isUnfinished(json: string): boolean {
  if (json === "" || tryParseJson(json) !== undefined) return false;
  const parser = new StreamingJsonParser();
  parser.feed(json);
  return parser.state === "partial";
}
