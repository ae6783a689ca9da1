/**
 * The messages and the context of a request. The default conversion processes each message once per run, not once per
 * request, so that a turn costs the same in a long conversation as in a short one.
 */
import type { Context, Message } from "pi-ai";
import { isNote, isRecord, PromptReplay } from "pi-ai/call";
import { withoutMarks } from "../pause/index.js";
import type { AgentContext } from "../types/agent-context.js";
import type { AgentLoopConfig, AgentLoopHooks } from "../types/config.js";
import type { AgentMessage } from "../types/message.js";

/** The default conversion: drops messages that a model cannot read. */
export function keepLlmMessages(messages: readonly AgentMessage[]): Message[] {
  return messages.flatMap((message) => (isLlmMessage(message) && withoutMarks(message)) || []);
}

/** The texts of an answer that was aborted, as an answer. Its thinking may lack the signature, and its calls have no results. */
export function toKeptPartial<TMessage extends Message>(message: TMessage): TMessage {
  if (message?.role !== "assistant" || message.stopReason !== "aborted") return message;
  const { errorMessage: _text, error: _facts, ...answer } = message;
  const texts = message.content.filter((block) => block.type === "text" && block.text.trim() !== "");
  // An item of the provider that was cut off must not be sent back as one of its own.
  const content = texts.map((block) => ({ type: "text", text: block.type === "text" ? block.text : "" }));
  // It is the same kind of message, with fewer fields.
  return content.length > 0 ? ({ ...answer, content, stopReason: "stop" } as unknown as TMessage) : message;
}

function isLlmMessage(message: AgentMessage): message is Message {
  return message.role === "user" || message.role === "assistant" || message.role === "toolResult" || isNote(message);
}

/**
 * Which hooks get the run's own array of messages, and may edit messages that were converted before. A record, so that a
 * new hook fails to compile here.
 */
const SEES_MESSAGES: Readonly<Record<keyof AgentLoopHooks, boolean>> = {
  transformContext: true,
  getApiKey: false,
  shouldStopAfterTurn: true,
  prepareNextTurn: true,
  beforeToolCall: true,
  wrapToolCall: false,
  afterToolCall: true,
  wrapModelCall: false,
};

/** The default conversion for one run. It remembers what it converted unless a hook can edit the conversation. */
export class LlmMessages {
  readonly #canRemember: boolean;
  readonly #keepsPartial: boolean;
  #source: readonly AgentMessage[] | undefined;
  #seen = 0;
  #kept: Message[] = [];
  #instructions = new PromptReplay();

  constructor(config: AgentLoopConfig) {
    // Object.keys has no narrower type; the record names exactly these keys.
    const hooks = Object.keys(SEES_MESSAGES) as (keyof AgentLoopHooks)[];
    this.#keepsPartial = config.keepPartial === "text";
    this.#canRemember = !hooks.some((name) => SEES_MESSAGES[name] && config[name]);
  }

  /** The returned array grows with the next request; see {@link createLlmContext}. */
  keep(messages: readonly AgentMessage[]): Message[] {
    if (!this.#canRemember || this.#source !== messages) {
      this.#source = messages;
      this.#seen = 0;
      this.#kept = [];
      this.#instructions = new PromptReplay();
    }
    for (; this.#seen < messages.length; this.#seen++) {
      const message = messages[this.#seen];
      if (!message) continue;
      if (isLlmMessage(message)) this.#kept.push(this.#keepsPartial ? toKeptPartial(message) : message);
      else readInstructions(message, this.#instructions);
    }
    return this.#kept;
  }

  /** The system prompt that a request with these messages has. */
  promptOf(systemPrompt: string, messages: readonly AgentMessage[]): string {
    const replay = new PromptReplay(systemPrompt);
    for (const message of messages) if (!isLlmMessage(message)) readInstructions(message, replay);
    return replay.systemPrompt;
  }

  /** The system prompt with the texts of the system messages that {@link LlmMessages.keep} found. */
  addInstructions(systemPrompt: string): string {
    return [systemPrompt, this.#instructions.systemPrompt].filter((text) => text !== "").join("\n\n");
  }
}

/**
 * The context of one request. The snapshot of its messages is taken at the first read: an array that only grows can be
 * cut to its present length later, and a stream function that never reads them costs nothing. A copy in each turn would make
 * a run quadratic: six times the time at 10,000 turns (`npm run bench -- --only "10,000 turns"`).
 */
export function createLlmContext(systemPrompt: string, messages: Message[], tools: AgentContext["tools"]): Context {
  const context: Partial<Context> = { systemPrompt };
  const growing: Growing = { messages, length: messages.length, snapshot: undefined };
  Object.defineProperty(context, SOURCE, { value: growing });
  Object.defineProperty(context, "messages", SNAPSHOT);
  if (tools !== undefined) context.tools = tools;
  // Its messages were defined above.
  return context as Context;
}

/** The messages of a context that was just created. Not a copy: the array grows with the next request. */
export function peekMessages(context: Context & Partial<HasSource>): readonly Message[] {
  // An object that inherits from a context may have other messages.
  const source = Object.hasOwn(context, SOURCE) ? context[SOURCE] : undefined;
  return source && !source.snapshot ? source.messages : context.messages;
}

/** Holds the source of the messages. A private field is faster to add, but a `Proxy` cannot reach it. */
const SOURCE: unique symbol = Symbol("source");

interface HasSource {
  readonly [SOURCE]: Growing;
}

interface Growing {
  messages: readonly Message[];
  /** The number of messages in the context. */
  length: number;
  snapshot: Message[] | undefined;
}

// Shared by all contexts: with closures of its own, each context would have its own hidden class, which is slow.
const SNAPSHOT: PropertyDescriptor & ThisType<HasSource> = {
  enumerable: true,
  configurable: true,
  get(): Message[] {
    const source = this[SOURCE];
    source.snapshot ??= source.messages.slice(0, source.length);
    return source.snapshot;
  },
  set(replacement: Message[]) {
    this[SOURCE].snapshot = replacement;
  },
};

/** Adds what a system message says, as in histories of pi 1.x and of other libraries. The agent itself states the tools. */
function readInstructions(message: AgentMessage, prompt: PromptReplay): void {
  // An application's own message, or one from plain JavaScript, may have any shape.
  const { role, content, sections }: { role: unknown; content?: unknown; sections?: unknown } = message;
  if (role !== "system" && role !== "developer") return;
  const texts = Array.isArray(content) ? content.map((block) => block?.text) : [content];
  const parts = isRecord(sections) ? Object.entries(sections) : [];
  prompt.apply({
    content: texts.filter((text) => typeof text === "string").join("\n\n"),
    sections: Object.fromEntries(parts.filter((part): part is [string, string | null] => isSection(part[1]))),
  });
}

function isSection(text: unknown): boolean {
  return typeof text === "string" || text === null;
}
