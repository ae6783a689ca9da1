/**
 * Assembles a message. This is the only code that makes an `AssistantMessageEvent`, so the order of events is decided here:
 * see `types/event.ts` for what is promised.
 *
 * Snapshots share structure: a delta replaces the block that grew, the content array and the message, and leaves
 * everything that was emitted before as it was. A tool call that streams is one live object until it ends.
 */
import type { AssistantMessageEvent } from "../types/event.js";
import type { AssistantMessage, ErrorKind, MessageFacts, StopReason, ToolCall } from "../types/message.js";
import type { Model } from "../types/model.js";
import { createAssistantMessageDiagnostic } from "../utils/diagnostics.js";
import { hasFields, withFields } from "./block-fields.js";
import {
  emptyProse,
  flatten,
  grown,
  isBare,
  liveCall,
  PROSE_EVENTS,
  type ProseSlot,
  proseText,
  relive,
  type Slot,
  type ToolCallSlot,
  wholeArguments,
} from "./blocks.js";
import { createAssistantMessage } from "./empty-message.js";
import type { Failure } from "./failure.js";
import { mergeUsage } from "./merge-usage.js";
import { MessageDraft } from "./message-draft.js";
import type { BlockFields, BlockKey, BlockStart, MessageSink, ResponseFacts, UsageCounts } from "./message-sink.js";
import { newFacts } from "./response-facts.js";
import { ToolArguments } from "./tool-arguments.js";
import { createToolCallId } from "./tool-call-id.js";

/** Options of an {@link AssistantMessageBuilder}. */
export interface BuilderOptions {
  /** The model that was asked: its names go into the message, its prices into the cost. */
  model: Model;
  /** Takes the events, in order and at once. */
  emit: (event: AssistantMessageEvent) => void;
  /** Unix time in milliseconds. */
  timestamp?: number;
  /** Makes ids for calls that came without one. */
  createId?: () => string;
  /** Longest arguments of one call, in characters. */
  maxArgumentsLength?: number | undefined;
}

/** Assembles one message from the operations of a mapping, and emits its events. */
export class AssistantMessageBuilder implements MessageSink {
  readonly #options: BuilderOptions;
  readonly #emit: (event: AssistantMessageEvent) => void;
  readonly #slots = new Map<BlockKey, Slot>();
  readonly #draft: MessageDraft;
  #prose: ProseSlot | undefined;
  #started = false;
  #stop: { reason: StopReason; message: string | undefined; kind: ErrorKind } | undefined;

  constructor(options: BuilderOptions) {
    this.#options = options;
    this.#emit = options.emit;
    this.#draft = new MessageDraft(createAssistantMessage(options.model, options.timestamp));
  }

  /** Whether anything of the response has arrived. */
  get started(): boolean {
    return this.#started;
  }

  /** Whether the end marker has been seen. */
  get stopped(): boolean {
    return this.#stop !== undefined;
  }

  /** Emits `start`; further calls do nothing. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#emit({ type: "start", partial: this.#draft.snapshot });
  }

  open(key: BlockKey, block: BlockStart): void {
    this.start();
    const previous = this.#slots.get(key);
    if (previous) this.#end(previous);
    this.#interruptProse();
    const index = this.#draft.length;
    if (block.type === "toolCall") {
      const text = new ToolArguments({ maxLength: this.#options.maxArgumentsLength });
      this.#slots.set(key, { type: "toolCall", index, open: true, text, whole: block.arguments });
      this.#draft.put(index, withFields(liveCall(text, "", ""), block));
      this.#emit({ type: "toolcall_start", contentIndex: index, partial: this.#draft.snapshot });
      return;
    }
    const prose = withFields(emptyProse(block.type), block);
    const slot: ProseSlot = { type: block.type, index, open: true, interrupted: false, bare: isBare(prose) };
    this.#slots.set(key, slot);
    this.#prose = slot;
    this.#draft.put(index, prose);
    this.#emit({ type: PROSE_EVENTS[block.type].start, contentIndex: index, partial: this.#draft.snapshot });
  }

  ensure(key: BlockKey, block: BlockStart): void {
    const slot = this.#slots.get(key);
    if (!slot?.open || slot.type !== block.type) this.open(key, block);
  }

  append(key: BlockKey, delta: string): void {
    if (typeof delta !== "string" || delta === "") return;
    const slot = this.#slots.get(key);
    if (!slot) return;
    if (slot.type === "toolCall") this.#growCall(slot, delta);
    else if (slot.open) this.#growProse(slot, delta);
    else if (slot.interrupted) {
      this.open(key, { type: slot.type });
      this.append(key, delta);
    }
  }

  patch(key: BlockKey, fields: BlockFields): void {
    const slot = this.#slots.get(key);
    const block = slot && this.#draft.blockAt(slot.index);
    if (!block || !hasFields(block.type, fields)) return;
    if (block.type === "toolCall" && slot.type === "toolCall") {
      // `toolcall_end` has named a closed call: its id and name are final.
      const change = slot.open ? fields : { ...fields, id: undefined, name: undefined };
      this.#draft.put(slot.index, withFields(slot.open ? relive(block, slot.text) : { ...block }, change));
      return;
    }
    if (slot.type !== "toolCall") slot.bare = false;
    this.#draft.put(slot.index, withFields({ ...block }, fields));
  }

  close(key: BlockKey, final?: string): void {
    const slot = this.#slots.get(key);
    if (!slot) return;
    if (typeof final === "string") {
      const soFar = slot.type === "toolCall" ? slot.text.text : proseText(this.#draft.blockAt(slot.index));
      if (final.length > soFar.length && final.startsWith(soFar)) this.append(key, final.slice(soFar.length));
    }
    // Text that was left out may have gone on in a new block.
    const last = this.#slots.get(key) ?? slot;
    this.#end(last);
    if (last.type !== "toolCall") last.interrupted = false;
  }

  usage(counts: UsageCounts): void {
    this.#draft.setUsage(mergeUsage(this.#options.model, this.#draft.snapshot.usage, counts));
  }

  response(facts: ResponseFacts, replace = false): void {
    const found = newFacts(replace ? {} : this.#draft.snapshot, facts, this.#options.model);
    if (found) this.adopt(found);
  }

  /** Takes facts that another builder worked out: the server of a relay knows the prices. */
  adopt(facts: Partial<MessageFacts & Pick<AssistantMessage, "usage">>): void {
    this.#draft.setFacts(facts);
  }

  note(type: string, details?: Record<string, unknown>, error?: unknown): void {
    const diagnostics = [
      ...(this.#draft.snapshot.diagnostics ?? []),
      createAssistantMessageDiagnostic(type, error, details),
    ];
    this.adopt({ diagnostics });
  }

  stop(reason: StopReason, message?: string, kind: ErrorKind = "unknown"): void {
    this.#stop = { reason, message, kind };
  }

  /**
   * Ends every block and the message with the reason that `stop` was given.
   *
   * @param clean removes secrets from a text of the provider before it becomes part of an error
   */
  finish(clean: (text: string) => string = (text) => text): AssistantMessage {
    const { reason, message, kind } = this.#stop ?? { reason: "error", message: "No stop reason", kind: "protocol" };
    if (reason === "error" || reason === "aborted") {
      return this.fail({ reason, errorMessage: clean(message ?? "An unknown error occurred"), error: { kind } });
    }
    this.start();
    this.#endAll();
    const hasCall = this.#draft.snapshot.content.some((block) => block.type === "toolCall");
    const stopReason = reason === "stop" && hasCall ? "toolUse" : reason;
    const final = this.#draft.complete({ stopReason });
    this.#emit({ type: "done", reason: stopReason, message: final });
    return final;
  }

  /** Ends every block and the message with an error. The content so far is kept. */
  fail(failure: Failure): AssistantMessage {
    this.#endAll();
    const { reason, errorMessage, error } = failure;
    const final = this.#draft.complete({ stopReason: reason, errorMessage, error });
    this.#emit({ type: "error", reason, error: final });
    return final;
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

  #interruptProse(): void {
    const prose = this.#prose;
    if (!prose) return;
    this.#end(prose);
    prose.interrupted = true;
  }

  #end(slot: Slot): void {
    if (!slot.open) return;
    if (slot.type === "toolCall") {
      this.#endCall(slot);
      return;
    }
    slot.open = false;
    this.#prose = undefined;
    const content = flatten(proseText(this.#draft.blockAt(slot.index)));
    this.#emit({ type: PROSE_EVENTS[slot.type].end, contentIndex: slot.index, content, partial: this.#draft.snapshot });
  }

  #endCall(slot: ToolCallSlot): void {
    const block = this.#draft.blockAt(slot.index);
    if (block?.type !== "toolCall") return;
    const whole = slot.text.text === "" ? wholeArguments(slot.whole) : "";
    if (whole !== "") this.#growCall(slot, whole);
    slot.open = false;
    const id = block.id || (this.#options.createId ?? createToolCallId)();
    const toolCall = withFields<ToolCall>({ type: "toolCall", id, name: block.name, ...slot.text.finish() }, block);
    this.#draft.put(slot.index, toolCall);
    this.#emit({ type: "toolcall_end", contentIndex: slot.index, toolCall, partial: this.#draft.snapshot });
  }

  #endAll(): void {
    for (const slot of this.#slots.values()) this.#end(slot);
  }
}
