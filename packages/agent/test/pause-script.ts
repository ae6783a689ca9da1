/**
 * Conversations that pause at random places, are answered in random orders, go on in other processes, and lose a process at a
 * random message. A process that dies does nothing more; the messages that it has passed on are kept.
 */
import {
  Agent,
  type AgentMessage,
  AnswerError,
  type AnyAgentTool,
  type PauseAnswer,
  type PauseRequest,
  type StreamFn,
} from "pi-agent";
import { approvals, pendingRequests } from "pi-agent/approvals";
import { agentTool } from "pi-agent/limits";
import { type AssistantMessage, type Message, Type } from "pi-ai";
import { createRandom, type Random } from "../../../test/support/random.js";
import { call, eventsOf, MODEL, response, streamOf, text } from "./scripted-stream.js";

/** What became of a conversation. */
export interface PausedConversation {
  messages: AgentMessage[];
  /** How often each call of `pay` ran, by its argument. */
  ran: ReadonlyMap<number, number>;
  /** The answers that counted, by the argument of the call. */
  answered: ReadonlyMap<number, boolean>;
  /** How many processes died. */
  deaths: number;
  /** What went wrong beside that. */
  faults: readonly string[];
}

const NAMES = ["look", "pay", "pay", "ask", "run"] as const;
const MAX_ROUNDS = 60;

export async function playConversation(
  seed: number,
  onRequest: (messages: Message[]) => void,
): Promise<PausedConversation> {
  return new Script(seed, onRequest).play();
}

class Script {
  readonly #random: Random;
  readonly #onRequest: (messages: Message[]) => void;
  readonly #ran = new Map<number, number>();
  readonly #answered = new Map<number, boolean>();
  readonly #faults: string[] = [];
  readonly #isSequential: boolean;
  readonly #responses: number;
  /** The arguments of the calls are different numbers. */
  #next = 0;
  #deaths = 0;
  /** Set when the process has died. */
  #isDead = false;

  constructor(seed: number, onRequest: (messages: Message[]) => void) {
    this.#random = createRandom(seed);
    this.#onRequest = onRequest;
    this.#isSequential = this.#flip(0.3);
    this.#responses = 1 + this.#pick(3);
  }

  #pick(count: number): number {
    return this.#random.below(count);
  }

  #flip(chance: number): boolean {
    return this.#random.chance(chance);
  }

  async play(): Promise<PausedConversation> {
    let messages = await this.#run([], (agent) => agent.prompt("Go."));
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const requests = pendingRequests(messages);
      const last = messages.at(-1);
      if (last?.role === "assistant" && last.stopReason === "stop") break;
      const answers = this.#choose(requests);
      messages = await this.#run(messages, async (agent) => {
        const counted = await this.#answer(agent, answers);
        if (counted || requests.length === 0) await agent.continue();
      });
    }
    if (pendingRequests(messages).length > 0) this.#faults.push("the conversation is still open");
    const { deaths, faults } = { deaths: this.#deaths, faults: this.#faults };
    return { messages, ran: this.#ran, answered: this.#answered, deaths, faults };
  }

  /** Answers some of the requests, in any order. */
  #choose(requests: readonly PauseRequest[]): PauseAnswer[] {
    const order = requests
      .map((request) => ({ request, place: this.#random.below(1e9) }))
      .toSorted((one, other) => one.place - other.place)
      .map(({ request }) => request);
    const count = order.length === 0 ? 0 : 1 + this.#pick(order.length);
    return order.slice(0, count).map(({ id, kind, arguments: { n } }): PauseAnswer => {
      const approved = this.#flip(0.6);
      if (kind === "approval" && typeof n === "number") this.#answered.set(n, approved);
      return kind === "question"
        ? { id, approved, value: this.#flip(0.8) ? { size: 1 } : { size: "?" } }
        : { id, approved };
    });
  }

  /** Sends each answer, and sometimes again. Answers that must not count are refused. */
  async #answer(agent: Agent, answers: readonly PauseAnswer[]): Promise<boolean> {
    const isTwice = this.#flip(0.3);
    await agent.answer(isTwice ? [...answers, ...answers] : answers);
    if (isTwice) await agent.answer(answers);
    const [first] = answers;
    const wrong = first ? { ...first, approved: !first.approved } : { id: "none", approved: true };
    await agent.answer([wrong]).then(
      () => this.#faults.push("a wrong answer counted"),
      (error: unknown) => {
        if (!(error instanceof AnswerError)) this.#faults.push(String(error));
      },
    );
    return answers.length > 0;
  }

  /** A process: it has nothing but the messages. Returns what it has passed on. */
  async #run(before: readonly AgentMessage[], work: (agent: Agent) => Promise<void>): Promise<AgentMessage[]> {
    this.#isDead = false;
    const agent = this.#createAgent(repair(JSON.parse(JSON.stringify(before)) as AgentMessage[]));
    let dieAt = this.#flip(0.3) ? this.#pick(12) : Number.POSITIVE_INFINITY;
    const died = Promise.withResolvers<void>();
    agent.subscribe((event) => {
      if (event.type !== "message_end" || dieAt-- > 0) return undefined;
      this.#isDead = true;
      died.resolve();
      // A process that has died never goes on.
      return new Promise(() => {});
    });
    await Promise.race([work(agent), died.promise]);
    if (this.#isDead) this.#deaths++;
    return JSON.parse(JSON.stringify(agent.state.messages)) as AgentMessage[];
  }

  #createAgent(messages: AgentMessage[]): Agent {
    return new Agent({
      sessionId: "chat",
      toolExecution: this.#isSequential ? "sequential" : "parallel",
      initialState: { model: MODEL, tools: [...this.#createTools(), this.#createChild()], messages },
      middleware: [this.#approvals()],
      streamFn: this.#respond(this.#responses),
    });
  }

  #approvals(): ReturnType<typeof approvals> {
    const claim = () => true;
    return approvals({ when: ({ tool }) => tool.name === "pay", pause: true, secret: "s".repeat(32), claim });
  }

  #createTools(): AnyAgentTool[] {
    const parameters = Type.Object({ n: Type.Number() });
    const tool = (name: string, execute: AnyAgentTool["execute"]): AnyAgentTool => ({
      name,
      description: name,
      parameters,
      execute,
    });
    const schema = Type.Object({ size: Type.Number() });
    return [
      tool("look", async () => "seen"),
      tool("pay", async (_id, { n }: { n: number }) => {
        if (!this.#isDead) this.#ran.set(n, (this.#ran.get(n) ?? 0) + 1);
        return "paid";
      }),
      tool("ask", async (_id, _args, _signal, _onUpdate, context) => {
        await context?.ask?.({ message: "Which size?", schema });
        return "asked";
      }),
    ];
  }

  #createChild(): AnyAgentTool {
    return agentTool({
      name: "run",
      description: "Runs an agent",
      parameters: Type.Object({ n: Type.Number() }),
      agent: ({ n }) =>
        new Agent({
          sessionId: `child ${n}`,
          initialState: { model: MODEL, tools: this.#createTools() },
          middleware: [this.#approvals()],
          streamFn: this.#respond(1, ["pay", "ask"]),
        }),
    });
  }

  /** Calls tools in the first responses, then ends. */
  #respond(rounds: number, names: readonly string[] = NAMES): StreamFn {
    return (_model, { messages }) => {
      if (names === NAMES) this.#onRequest([...messages]);
      const done = messages.filter(({ role }) => role === "assistant").length;
      return streamOf(eventsOf(done < rounds ? this.#callTools(names, done) : text("Done.")));
    };
  }

  #callTools(names: readonly string[], done: number): AssistantMessage {
    const count = 1 + this.#pick(4);
    // Some providers repeat ids in every response.
    const prefix = this.#flip(0.5) ? "" : `${done}-`;
    const calls = Array.from({ length: count }, (_, index) =>
      call(`${prefix}${index}`, names[this.#pick(names.length)] ?? "look", { n: this.#next++ }),
    );
    return response(calls);
  }
}

/** Gives a result to each call of a process that died before it knew which calls pause, as `loadSession` does. */
function repair(messages: AgentMessage[]): AgentMessage[] {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const response = messages[last];
  if (response?.role !== "assistant") return messages;
  const after = messages.slice(last);
  for (const block of response.content) {
    if (block.type !== "toolCall") continue;
    const { id: toolCallId, name: toolName } = block;
    if (after.some((message) => message.role === "toolResult" && message.toolCallId === toolCallId)) continue;
    const content = [{ type: "text" as const, text: "The process ended" }];
    messages.push({ role: "toolResult", toolCallId, toolName, content, isError: true, timestamp: 1 });
  }
  return messages;
}
