/** Random conversations with threads and without: the model reads the same, whatever happens in between. */
import { type AssistantMessage, type Context, cleanupSessionResources, type Message, streamSimple } from "pi-ai";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { budget } from "../../../test/support/suite.js";
import { catalogueModel } from "./handoff/catalogue-model.js";
import { user } from "./handoff/conversations.js";
import type { Fields } from "./validators/faults.js";
import { Random } from "./vendors/random.js";
import { type Answer, ThreadServer, withoutMarks } from "./vendors/thread-server.js";

const MODELS = ["claude-opus-5-5", "claude-opus-4-6", "claude-sonnet-4-5"].map((id) => catalogueModel("anthropic", id));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  cleanupSessionResources();
  vi.useRealTimers();
});

class Conversation {
  readonly threads = new ThreadServer();
  readonly plain = new ThreadServer();
  readonly #random: Random;
  #messages: Message[] = [user("Begin.")];
  #prompt = "You help.";
  #tools = ["read", "write"];
  #model = MODELS[0];
  #calls = 0;

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  async play(steps: number): Promise<void> {
    for (let step = 0; step < steps; step++) {
      if (this.#random.chance(0.25)) this.#disturb();
      const answer = this.#answer();
      const message = await this.#ask(this.threads, answer, "thread");
      const other = await this.#ask(this.plain, answer, undefined);
      expect(message.content).toEqual(other.content);
      expect(message.errorMessage).toBe(other.errorMessage);
      expect(withoutMarks(this.threads.last.whole ?? {})).toEqual(withoutMarks(this.plain.last.whole ?? {}));
      this.#messages.push(message);
      const results = message.content.flatMap((block): Message[] =>
        block.type === "toolCall" && message.stopReason === "toolUse"
          ? [
              {
                role: "toolResult",
                ...{ toolCallId: block.id, toolName: block.name, isError: false, timestamp: 0 },
                content: [{ type: "text", text: `result ${step}` }],
              },
            ]
          : [],
      );
      this.#messages.push(...(results.length > 0 ? results : [user(`Prompt ${step}.`)]));
    }
  }

  #ask(server: ThreadServer, answer: Answer, conversation: "thread" | undefined): Promise<AssistantMessage> {
    server.answer = () => answer;
    const tools = this.#tools.map((name) => ({
      name,
      description: name,
      parameters: { type: "object", properties: {} },
    }));
    const context: Context = { systemPrompt: this.#prompt, tools, messages: [...this.#messages] };
    const options = { ...{ apiKey: "key", sessionId: "random", maxRetries: 0 }, conversation, fetch: server.fetch };
    return streamSimple(this.#model ?? catalogueModel("anthropic", "claude-opus-5-5"), context, options).result();
  }

  #answer(): Answer {
    const random = this.#random;
    const text: Fields = { type: "text", text: `Answer ${random.below(1e6)}` };
    if (random.chance(0.08)) return { content: [text], stop: "end_turn", breaks: true };
    if (random.chance(0.05)) return { content: [text], stop: "max_tokens" };
    if (random.chance(0.4)) return { content: [text], stop: "end_turn" };
    const id = `toolu_${this.#calls++}`;
    return { content: [text, { type: "tool_use", id, name: "read", input: { path: id } }], stop: "tool_use" };
  }

  /** What may come between two requests of a session. */
  #disturb(): void {
    const random = this.#random;
    const disturb = random.pick([
      () => vi.advanceTimersByTime(random.pick([1000, 300_000])),
      () => this.threads.forget(),
      () => this.threads.mark({ isContinued: true }),
      () => this.threads.mark({ isInFlight: true }),
      () => {
        this.threads.refuseNext = { status: 400, code: "thread_fingerprint_mismatch", message: "differing field(s)" };
      },
      () => {
        this.#prompt = `You help ${random.below(9)}.`;
      },
      () => {
        this.#tools = random.pick([["read", "write"], ["read"]]);
      },
      () => {
        this.#model = random.pick(MODELS);
      },
      () => {
        this.#messages = this.#messages.map((message) =>
          message.role === "user" && random.chance(0.2) ? user("Edited.") : message,
        );
      },
      () => {
        const cut = this.#messages.findLastIndex(({ role }) => role === "user");
        this.#messages = [user("Summary of what came before."), ...this.#messages.slice(cut)];
      },
      () => {
        this.#messages.push({ role: "system", content: `Rule ${random.below(99)}.`, timestamp: 0 }, user("Go on."));
      },
      () => {
        const last = this.#messages.findLast(({ role }) => role === "assistant");
        if (last?.role === "assistant") last.content = [{ type: "text", text: "Edited answer" }, ...last.content];
      },
    ]);
    disturb();
  }
}

it.each(Array.from({ length: budget({ quick: 4, all: 60 }) }, (_, part) => part))(
  "sends the model what it would read without threads: part %i",
  async (part) => {
    const sent = { continue: 0, create: 0 };
    for (let seed = part * 10; seed < part * 10 + 10; seed++) {
      cleanupSessionResources();
      const conversation = new Conversation(seed);
      await conversation.play(20);
      for (const { body, refused } of conversation.threads.exchanges) {
        const { type } = (body["thread"] ?? {}) as { type?: "continue" | "create" };
        if (type) sent[type]++;
        // Only what the test has broken, and never a rule that the library must know.
        expect(["forced", "thread/not-found", "thread/in-flight", "thread/already-continued", undefined]).toContain(
          refused?.id,
        );
      }
      expect(conversation.plain.exchanges.filter(({ refused }) => refused)).toEqual([]);
    }
    expect(sent.continue).toBeGreaterThan(sent.create);
  },
);
