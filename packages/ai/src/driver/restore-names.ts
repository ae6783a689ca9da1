/** Passes on what a mapping reads, with the names of tools and properties that the application knows. */
import type { BlockFields, BlockKey, BlockStart, MessageSink, ResponseFacts, UsageCounts } from "../message/index.js";
import { wholeArguments } from "../message/index.js";
import type { GivenNames } from "../request/index.js";
import type { Citation } from "../types/message.js";
import type { WireMapping } from "./api-adapter.js";

/** The arguments of one call. */
interface Call {
  restorer: ReturnType<GivenNames["restorerFor"]>;
  /** As the server wrote them. */
  pieces: string[];
}

/** The mapping with the names of the application. */
export function withGivenNames(mapping: WireMapping, names: GivenNames): WireMapping {
  const calls = new Map<BlockKey, Call>();
  const restoring = (event: unknown, sink: MessageSink): boolean =>
    mapping(event, new RestoringSink(sink, names, calls));
  return Object.assign(restoring, {
    end: (sink: MessageSink): void => mapping.end?.(new RestoringSink(sink, names, calls)),
    ...(mapping.hops && { hops: mapping.hops }),
  });
}

class RestoringSink implements MessageSink {
  readonly #sink: MessageSink;
  readonly #names: GivenNames;
  readonly #calls: Map<BlockKey, Call>;

  constructor(sink: MessageSink, names: GivenNames, calls: Map<BlockKey, Call>) {
    this.#sink = sink;
    this.#names = names;
    this.#calls = calls;
  }

  get length(): number {
    return this.#sink.length;
  }

  /** As the server wrote it, because a mapping compares it with what the server repeats. */
  textOf(key: BlockKey): string {
    const call = this.#calls.get(key);
    if (!call?.restorer) return this.#sink.textOf(key);
    call.pieces = [call.pieces.join("")];
    return call.pieces[0] ?? "";
  }

  open(key: BlockKey, block: BlockStart): void {
    this.#end(key);
    this.#sink.open(key, this.#begin(key, block));
  }

  ensure(key: BlockKey, block: BlockStart): void {
    if (this.#calls.has(key)) this.#sink.ensure(key, this.#named(block));
    else this.#sink.ensure(key, this.#begin(key, block));
  }

  append(key: BlockKey, delta: string): void {
    const call = this.#calls.get(key);
    if (!call?.restorer || typeof delta !== "string") {
      this.#sink.append(key, delta);
      return;
    }
    call.pieces.push(delta);
    this.#sink.append(key, call.restorer.write(delta));
  }

  patch(key: BlockKey, fields: BlockFields): void {
    const call = this.#calls.get(key);
    if (!call || typeof fields.name !== "string" || fields.name === "") {
      this.#sink.patch(key, fields);
      return;
    }
    // A name that comes later than the call.
    if (call.pieces.length === 0) call.restorer ??= this.#names.restorerFor(fields.name);
    this.#sink.patch(key, { ...fields, name: this.#names.tool(fields.name) });
  }

  close(key: BlockKey, final?: string | BlockFields): void {
    const call = this.#calls.get(key);
    if (!call?.restorer) {
      this.#sink.close(key, final);
      return;
    }
    if (typeof final === "string") {
      const soFar = this.textOf(key);
      if (final.length > soFar.length && final.startsWith(soFar)) this.append(key, final.slice(soFar.length));
    }
    this.#end(key);
    this.#sink.close(key, typeof final === "object" ? final : undefined);
  }

  cite(key: BlockKey, citation: Citation): void {
    this.#sink.cite(key, citation);
  }

  usage(counts: UsageCounts): void {
    this.#sink.usage(counts);
  }

  response(facts: ResponseFacts, replace = false): void {
    this.#sink.response(facts, replace);
  }

  note(...note: Parameters<MessageSink["note"]>): void {
    this.#sink.note(...note);
  }

  stop(...ending: Parameters<MessageSink["stop"]>): void {
    this.#sink.stop(...ending);
  }

  #begin(key: BlockKey, block: BlockStart): BlockStart {
    if (block.type !== "toolCall") {
      this.#calls.delete(key);
      return block;
    }
    const restorer = block.name === undefined ? undefined : this.#names.restorerFor(block.name);
    this.#calls.set(key, { restorer, pieces: [] });
    if (!restorer || block.arguments === undefined) return this.#named(block);
    // Arguments that come whole with the start are read by a restorer of their own: pieces may follow in their place.
    const whole = this.#names.restorerFor(block.name ?? "")?.write(wholeArguments(block.arguments));
    return { ...this.#named(block), arguments: whole };
  }

  #named<TBlock extends BlockStart>(block: TBlock): TBlock {
    if (block.type !== "toolCall" || typeof block.name !== "string") return block;
    return { ...block, name: this.#names.tool(block.name) };
  }

  /** Appends the characters that the call still holds back. */
  #end(key: BlockKey): void {
    const rest = this.#calls.get(key)?.restorer?.end() ?? "";
    if (rest !== "") this.#sink.append(key, rest);
  }
}
