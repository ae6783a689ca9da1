/** The model of a random conversation, its tools, and what it was asked: slow, failing, calling tools, each request with a price of its own. */
import { Agent, type AnyAgentTool, type StreamFn } from "pi-agent";
import { agentTool } from "pi-agent/limits";
import {
  type AssistantMessage,
  AssistantMessageEventStream,
  type Context,
  type SimpleStreamOptions,
  Type,
  type Usage,
} from "pi-ai";
import type { Random } from "../../../../test/support/random.js";
import { isSummary } from "../compact-script.js";
import { call, eventsOf, MODEL, response, terminalEvent } from "../scripted-stream.js";

/** After so many responses to one message the model calls no more tools. */
const MAX_ROUNDS = 3;

/** What a process gives to its model and its tools. */
export interface Surroundings {
  random: Random;
  /** Called between two events of a stream, and while a tool works: anything may happen then. */
  interrupt: () => void;
  isDead: () => boolean;
  /** A number that no message of the sequence has. */
  next: () => number;
  /** How often each call of `pay` ran. */
  paid: Map<string, number>;
}

/** Prices in powers of 2, so that a sum says which requests were counted, and how often. */
export class ChatServer {
  readonly #around: Surroundings;
  /** What must be counted, and what may be: an answer that came after an abort. */
  readonly prices = { due: 0, open: 0 };
  #requests = 0;
  #isSummarizing = false;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /** Whether it writes a summary, or the process died while it did. */
  get isSummarizing(): boolean {
    return this.#isSummarizing;
  }

  readonly streamFn: StreamFn = (_model, context, options = {}) => {
    if (this.#around.random.chance(0.03)) throw new Error("No connection");
    const stream = new AssistantMessageEventStream();
    // A list is for the functions of pi-ai; an agent passes a context.
    const asked = context as Context;
    const asksForSummary = isSummary(asked);
    const message = asksForSummary ? this.#summary() : this.#respond(asked);
    if (asksForSummary) this.#isSummarizing = true;
    void this.#push(stream, { ...message, usage: this.#usage(asked) }, options).then(() => {
      if (asksForSummary && !this.#around.isDead()) this.#isSummarizing = false;
    });
    return stream;
  };

  /** The tokens decide when the conversation is compacted. */
  #usage({ messages }: Context): Usage {
    const total = 2 ** this.#requests++;
    const input = JSON.stringify(messages.map(({ content }) => content)).length >> 2;
    return {
      input,
      output: 10,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: input + 10,
      cost: { input: total, output: 0, cacheRead: 0, cacheWrite: 0, total },
    };
  }

  #summary(): AssistantMessage {
    return response([{ type: "text", text: `Summary ${this.#around.next()}` }]);
  }

  #respond({ messages, tools = [] }: Context): AssistantMessage {
    const text = {
      type: "text" as const,
      text: `a${this.#around.next()} ${"word ".repeat(this.#around.random.pick([0, 0, 30, 90]))}`,
    };
    if (this.#around.random.chance(0.05))
      return { ...response([text]), stopReason: "error", errorMessage: "Overloaded", error: { kind: "overloaded" } };
    const last = messages.findLastIndex(({ role }) => role === "user");
    const rounds = messages.slice(last).filter(({ role }) => role === "assistant").length;
    if (rounds >= MAX_ROUNDS || tools.length === 0 || this.#around.random.chance(0.5)) return response([text]);
    const calls = Array.from({ length: 1 + this.#around.random.below(3) }, () =>
      call(`c${this.#around.next()}`, this.#around.random.pick(tools).name),
    );
    return response([text, ...calls]);
  }

  async #push(
    stream: AssistantMessageEventStream,
    message: AssistantMessage,
    { signal }: SimpleStreamOptions,
  ): Promise<void> {
    const price = message.usage.cost.total;
    this.prices.open += price;
    const ignoresAbort = this.#around.random.chance(0.2);
    for (const event of message.stopReason === "error" ? [terminalEvent(message)] : eventsOf(message)) {
      await this.#wait();
      if (this.#around.isDead()) return;
      // Few requests are for a summary, and more is to happen while they are under way.
      for (let chances = this.#isSummarizing ? 6 : 1; chances > 0; chances--) this.#around.interrupt();
      if (signal?.aborted && !ignoresAbort) {
        stream.push(terminalEvent({ ...message, content: [], stopReason: "aborted", errorMessage: "Aborted" }));
        return;
      }
      stream.push(event);
    }
    if (signal?.aborted) return;
    this.prices.open -= price;
    this.prices.due += price;
  }

  async #wait(): Promise<void> {
    if (this.#around.random.chance(0.05)) await sleep(this.#around.random.pick([1, 4, 20]));
    for (let ticks = this.#around.random.pick([0, 0, 1, 3]); ticks > 0; ticks--) await undefined;
  }

  tools(): AnyAgentTool[] {
    const parameters = Type.Object({});
    const tool = (name: string, execute: AnyAgentTool["execute"]): AnyAgentTool => ({
      name,
      description: name,
      parameters,
      execute,
    });
    return [
      tool("look", async (_id, _args, _signal, onUpdate) => {
        if (this.#around.random.chance(0.3)) onUpdate?.({ content: [{ type: "text", text: "half" }], details: {} });
        this.#around.interrupt();
        return "seen";
      }),
      tool("slow", async () => {
        await sleep(1 + this.#around.random.below(12));
        if (!this.#around.isDead()) this.#around.interrupt();
        return "at last";
      }),
      tool("fails", async () => {
        throw new Error("no luck");
      }),
      tool("odd", async () => ({ content: [{ type: "text", text: "odd" }], details: { big: 1n, made: new Date(0) } })),
      tool("pay", async (id) => {
        const { paid, isDead } = this.#around;
        if (!isDead()) paid.set(id, (paid.get(id) ?? 0) + 1);
        return "paid";
      }),
      tool("ask", async (_id, _args, _signal, _onUpdate, context) => {
        await context?.ask?.({ message: "Which size?", schema: Type.Object({ size: Type.Number() }) });
        return "asked";
      }),
      this.#child(),
    ];
  }

  #child(): AnyAgentTool {
    return agentTool({
      name: "run",
      description: "Runs an agent",
      parameters: Type.Object({}),
      agent: () =>
        new Agent({
          initialState: { model: MODEL, tools: this.tools().filter(({ name }) => name !== "run" && name !== "pay") },
          streamFn: this.streamFn,
        }),
      prompt: () => "Go on.",
    });
  }
}

/** With the clock of the test. */
export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
