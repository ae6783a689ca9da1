/** The context of a request: its messages are copied at the first read, which most requests never need. */
import type { Context, Message } from "pi-ai";
import type { AgentContext } from "../types/agent-context.js";

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
