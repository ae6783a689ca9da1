/**
 * Assembles a message, and emits its events. No adapter makes an `AssistantMessageEvent` itself, so the order of events is decided
 * here (a route, a relay and a response that was cut add their own ends): see `types/event.ts` for what is promised.
 *
 * Snapshots share structure: a delta replaces the block that grew, the content array and the message, and leaves everything
 * that was emitted before as it was. A tool call or the input of a server tool that streams is one live object until it ends.
 */
import type { AssistantMessageEvent } from "../types/event.js";
import type {
  AssistantBlock,
  AssistantMessage,
  Citation,
  ErrorKind,
  MessageFacts,
  StopReason,
  ToolCall,
} from "../types/message.js";
import { priceAt } from "../utils/dated-price.js";
import { createAssistantMessageDiagnostic } from "../utils/diagnostics.js";
import { isFailure, needsResult, noteAttempts } from "../utils/message-facts.js";
import { BlockLimits } from "./block-limits.js";
import {
  CallIds,
  changedServerTool,
  clampCitations,
  clamped,
  emptyProse,
  finishedServerTool,
  flatten,
  grown,
  isBareCall,
  isProse,
  liveCall,
  newProseSlot,
  newServerTool,
  PROSE_EVENTS,
  type ProseSlot,
  proseText,
  type ServerToolSlot,
  type Slot,
  serverToolUpdate,
  setFields,
  type ToolCallSlot,
  type WholeBlock,
  wholeArguments,
  wholeBlock,
  wholeEvent,
} from "./blocks.js";
import type { BuilderOptions } from "./builder-options.js";
import { createAssistantMessage } from "./empty-message.js";
import { mergeUsage } from "./merge-usage.js";
import { MessageDraft, withItem } from "./message-draft.js";
import {
  type BlockFields,
  type BlockKey,
  type BlockStart,
  type Failure,
  type MessageSink,
  newFacts,
  type ResponseFacts,
  type UsageCounts,
  withFields,
} from "./message-sink.js";
import { RepeatedCalls } from "./repeated-calls.js";
import { ToolArguments } from "./tool-arguments.js";
import { visibleCitation, visibleDiagnostic, visibleFacts, visibleFailure } from "./visible-facts.js";

type StartEvent = Extract<AssistantMessageEvent["type"], `${string}_start`>;

/** Assembles one message from the operations of a mapping, and emits its events. */
export class AssistantMessageBuilder implements MessageSink {
  readonly #options: BuilderOptions;
  readonly #emit: (event: AssistantMessageEvent) => void;
  readonly #limits: BlockLimits;
  /** The last factor of the price that was reported. */
  #pricing: Pick<UsageCounts, "costFactor" | "pricedAs"> = {};
  #draft: MessageDraft;
  readonly #slots = new Map<BlockKey, Slot>();
  readonly #ids = new CallIds();
  readonly #repeats = new RepeatedCalls({
    sink: this,
    blockOf: ({ index }) => this.#draft.blockAt(index),
    grow: (slot, delta) => this.#growCall(slot, delta),
    set: (slot, fields) => setFields(this.#draft, slot, fields),
  });
  #prose: ProseSlot | undefined;
  /** A call that came without arguments, and is last. It ends when another block begins: the same call may come again, whole. */
  #announced: ToolCallSlot | undefined;
  #started = false;
  /** The message, once it was emitted. The first end counts. */
  #final: AssistantMessage | undefined;
  #stop: { reason: StopReason; message: string | undefined; kind: ErrorKind } | undefined;

  constructor(options: BuilderOptions) {
    this.#options = options;
    this.#emit = options.emit;
    this.#limits = new BlockLimits(options.maxBlocks);
    this.#draft = new MessageDraft(createAssistantMessage(options.model, options.timestamp));
  }

  /** Whether anything of the response has arrived. */
  get started(): boolean {
    return this.#started;
  }

  /** Emits `start`; further calls do nothing. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#emit({ type: "start", partial: this.#draft.snapshot });
  }

  /** Drops all blocks and facts, because another model starts the response over, and emits `attempt_reset`. */
  restart(): void {
    this.#slots.clear();
    this.#ids.clear();
    this.#repeats.clear();
    this.#prose = undefined;
    this.#announced = undefined;
    this.#draft = new MessageDraft(createAssistantMessage(this.#options.model, this.#draft.snapshot.timestamp));
    this.#emit({ type: "attempt_reset", partial: this.#draft.snapshot });
  }

  get length(): number {
    return this.#draft.length;
  }

  textOf(key: BlockKey): string {
    const slot = this.#slots.get(key);
    if (!slot) return this.#repeats.textOf(key);
    return "text" in slot ? slot.text.text : proseText(this.#draft.blockAt(slot.index));
  }

  open(key: BlockKey, block: BlockStart): void {
    this.start();
    this.#limits.checkBlocks(this.length + this.#repeats.size);
    this.#repeats.settle(key);
    const previous = this.#slots.get(key);
    if (previous && previous !== this.#announced) this.#end(previous);
    if (block.type === "toolCall" && this.#repeats.hold(key, block, this.#newArguments())) {
      this.#slots.delete(key);
      return;
    }
    this.#endAnnounced();
    const prose = this.#prose;
    if (prose) {
      this.#end(prose);
      prose.interrupted = true;
    }
    if (block.type === "text" || block.type === "thinking") this.#openProse(key, block);
    else if (block.type === "toolCall") this.#openCall(key, block);
    else if (block.type === "serverTool") this.#openServerTool(key, block);
    else this.#addWhole(key, wholeBlock(block));
  }

  ensure(key: BlockKey, block: BlockStart): void {
    const slot = this.#slots.get(key);
    if (!slot?.open || slot.type !== block.type) this.open(key, block);
  }

  append(key: BlockKey, delta: string): void {
    if (typeof delta !== "string" || delta === "") return;
    const slot = this.#slots.get(key);
    if (!slot) this.#repeats.append(key, delta);
    else if (isProse(slot)) this.#appendProse(key, slot, delta);
    else if (slot === this.#announced) return;
    else if (slot.type === "toolCall") this.#growCall(slot, delta);
    else if (slot.type === "serverTool") this.#growServerTool(slot, delta);
  }

  patch(key: BlockKey, fields: BlockFields): void {
    const slot = this.#slots.get(key);
    if (!slot) this.#repeats.patch(key, fields);
    if (!slot || !setFields(this.#draft, slot, fields)) return;
    if (slot.type === "toolCall" && slot.open) this.#repeats.register(fields.id, slot);
    if (slot.type === "serverTool" && slot.open) this.#emit(serverToolUpdate(slot, this.#draft.snapshot));
  }

  close(key: BlockKey, final?: string | BlockFields): void {
    const slot = this.#slots.get(key);
    if (!slot) {
      this.#repeats.close(key, final);
      if (this.#announced && this.#announced.text.text !== "") this.#endAnnounced();
      return;
    }
    if (typeof final === "object") setFields(this.#draft, slot, final);
    if (typeof final === "string") {
      const soFar = this.textOf(key);
      if (final.startsWith(soFar)) this.append(key, final.slice(soFar.length));
      else if (slot.type === "toolCall") slot.text.correct(final);
    }
    // The missing text may have continued in a new block.
    const last = this.#slots.get(key) ?? slot;
    if (last.index === this.length - 1 && isBareCall(last)) this.#announced = last;
    else this.#end(last);
    if (isProse(last)) last.interrupted = false;
  }

  cite(key: BlockKey, citation: Citation): void {
    const slot = this.#slots.get(key);
    const block = slot && this.#draft.blockAt(slot.index);
    if (slot?.type !== "text" || block?.type !== "text") return;
    this.#limits.countNote();
    slot.bare = false;
    const shown = visibleCitation(citation);
    const placed = slot.open ? shown : clamped(shown, block.text.length);
    this.#draft.put(slot.index, { ...block, citations: withItem(block.citations, placed) });
    this.#emit({ type: "citation", contentIndex: slot.index, citation: placed, partial: this.#draft.snapshot });
  }

  /** Whether the end marker has been seen. */
  get stopped(): boolean {
    return this.#stop !== undefined;
  }

  usage(counts: UsageCounts): void {
    const { costFactor = this.#pricing.costFactor, pricedAs = this.#pricing.pricedAs } = counts;
    this.#pricing = { costFactor, pricedAs };
    const { usage, timestamp } = this.#draft.snapshot;
    const cost = priceAt((pricedAs ?? this.#options.model).cost, timestamp);
    this.#draft.setUsage(mergeUsage({ cost }, usage, { ...counts, costFactor }));
  }

  response(facts: ResponseFacts, replace = false): void {
    const found = newFacts(replace ? {} : this.#draft.snapshot, facts, this.#options.model);
    if (found) this.adopt(found);
  }

  /** Takes facts that another builder worked out: the server of a relay knows the prices. */
  adopt(facts: Partial<MessageFacts & Pick<AssistantMessage, "usage">>): void {
    this.#draft.setFacts(visibleFacts(facts));
  }

  note(type: string, details?: Record<string, unknown>, error?: unknown): void {
    this.#limits.countNote();
    const note = visibleDiagnostic(createAssistantMessageDiagnostic(type, error, details));
    this.#draft.setFacts({ diagnostics: withItem(this.#draft.snapshot.diagnostics, note) });
  }

  stop(reason: StopReason, message?: string, kind: ErrorKind = "unknown"): void {
    this.#stop = { reason, message, kind };
  }

  /**
   * Ends every block and the message with the reason that `stop` was given.
   *
   * @param clean removes secrets from a text of the provider before it becomes part of an error
   * @param attempts how often the request was sent, for traces
   */
  finish(clean: (text: string) => string = (text) => text, attempts = 1): AssistantMessage {
    if (this.#final) return this.#final;
    const { reason, message, kind } = this.#stop ?? { reason: "error", message: "No stop reason", kind: "protocol" };
    if (isFailure(reason))
      return this.fail({ reason, errorMessage: clean(message ?? "An unknown error occurred"), error: { kind } });
    this.start();
    this.#endAll();
    const stopReason = reason === "stop" && this.#draft.snapshot.content.some(needsResult) ? "toolUse" : reason;
    const final = this.#draft.complete({ stopReason });
    if (attempts > 1) noteAttempts(final, attempts);
    this.#final = final;
    this.#emit({ type: "done", reason: stopReason, message: final });
    return final;
  }

  /** Ends every block and the message with an error. The content so far is kept. */
  fail(failure: Failure): AssistantMessage {
    if (this.#final) return this.#final;
    this.#endAll(true);
    const { reason, errorMessage, error } = visibleFailure(failure);
    const final = this.#draft.complete({ stopReason: reason, errorMessage, error });
    this.#final = final;
    this.#emit({ type: "error", reason, error: final });
    return final;
  }

  #openProse(key: BlockKey, block: Extract<BlockStart, { type: ProseSlot["type"] }>): void {
    const prose = withFields(emptyProse(block.type), block);
    const slot = newProseSlot(prose, this.length);
    this.#prose = slot;
    this.#begin(key, slot, prose, PROSE_EVENTS[block.type].start);
  }

  #openCall(key: BlockKey, block: Extract<BlockStart, { type: "toolCall" }>): void {
    const text = this.#newArguments();
    const slot: ToolCallSlot = { type: "toolCall", index: this.length, open: true, text, whole: block.arguments };
    this.#repeats.register(block.id, slot);
    this.#begin(key, slot, withFields(liveCall(text, "", ""), block), "toolcall_start");
  }

  #openServerTool(key: BlockKey, block: Extract<BlockStart, { type: "serverTool" }>): void {
    const text = this.#newArguments();
    const slot: ServerToolSlot = { type: "serverTool", index: this.length, open: true, text, streamed: false };
    this.#begin(key, slot, newServerTool(block), "servertool_start");
  }

  #newArguments(): ToolArguments {
    return new ToolArguments({ maxLength: this.#options.maxArgumentsLength });
  }

  #begin(key: BlockKey, slot: Slot, block: AssistantBlock, type: StartEvent): void {
    this.#slots.set(key, slot);
    this.#draft.put(slot.index, block);
    this.#emit({ type, contentIndex: slot.index, partial: this.#draft.snapshot });
  }

  #addWhole(key: BlockKey, block: WholeBlock): void {
    const index = this.length;
    this.#slots.set(key, { type: block.type, index, open: false });
    this.#draft.put(index, block);
    this.#emit(wholeEvent(block, index, this.#draft.snapshot));
  }

  #appendProse(key: BlockKey, slot: ProseSlot, delta: string): void {
    if (slot.open) this.#growProse(slot, delta);
    else if (slot.interrupted) {
      this.open(key, { type: slot.type });
      this.append(key, delta);
    }
  }

  #growServerTool(slot: ServerToolSlot, delta: string): void {
    const block = this.#draft.blockAt(slot.index);
    if (!slot.open || block?.type !== "serverTool") return;
    slot.text.append(delta);
    if (!slot.streamed) {
      slot.streamed = true;
      this.#draft.put(slot.index, changedServerTool(block, {}, slot));
    }
    this.#emit(serverToolUpdate(slot, this.#draft.snapshot, delta));
  }

  #growProse(slot: ProseSlot, delta: string): void {
    const block = this.#draft.blockAt(slot.index);
    if (block?.type === "text" || block?.type === "thinking")
      this.#draft.put(slot.index, grown(block, delta, slot.bare));
    this.#emit({ type: PROSE_EVENTS[slot.type].delta, contentIndex: slot.index, delta, partial: this.#draft.snapshot });
  }

  #growCall(slot: ToolCallSlot, delta: string): void {
    if (!slot.open) return;
    slot.text.append(delta);
    this.#emit({ type: "toolcall_delta", contentIndex: slot.index, delta, partial: this.#draft.snapshot });
  }

  #end(slot: Slot, failed = false): void {
    if (!slot.open) return;
    if (slot.type === "toolCall") this.#endCall(slot);
    else if (slot.type === "serverTool") this.#endServerTool(slot, failed);
    else this.#endProse(slot);
  }

  #endProse(slot: ProseSlot): void {
    slot.open = false;
    this.#prose = undefined;
    clampCitations(this.#draft, slot.index);
    const content = flatten(proseText(this.#draft.blockAt(slot.index)));
    this.#emit({ type: PROSE_EVENTS[slot.type].end, contentIndex: slot.index, content, partial: this.#draft.snapshot });
  }

  #endCall(slot: ToolCallSlot): void {
    const block = this.#draft.blockAt(slot.index);
    if (block?.type !== "toolCall") return;
    const whole = slot.text.text === "" ? wholeArguments(slot.whole) : "";
    if (whole !== "") this.#growCall(slot, whole);
    slot.open = false;
    const toolCall = withFields<ToolCall>({ type: "toolCall", id: "", name: "", ...slot.text.finish() }, block);
    toolCall.id = this.#ids.take(block.id, this.#options.createId);
    this.#draft.put(slot.index, toolCall);
    this.#emit({ type: "toolcall_end", contentIndex: slot.index, toolCall, partial: this.#draft.snapshot });
  }

  #endAnnounced(): void {
    if (this.#announced) this.#end(this.#announced);
    this.#announced = undefined;
  }

  #endServerTool(slot: ServerToolSlot, failed: boolean): void {
    const block = this.#draft.blockAt(slot.index);
    if (block?.type !== "serverTool") return;
    slot.open = false;
    const id = this.#ids.take(block.id, this.#options.createId);
    const serverTool = { ...finishedServerTool(block, slot, failed), id };
    this.#draft.put(slot.index, serverTool);
    this.#emit({ type: "servertool_end", contentIndex: slot.index, serverTool, partial: this.#draft.snapshot });
  }

  /** Ends every block. `failed`: the response ended with an error. */
  #endAll(failed = false): void {
    this.#repeats.settleAll();
    this.#endAnnounced();
    for (const slot of this.#slots.values()) this.#end(slot, failed);
  }
}
