/** One scene that all features play in: two runs with tools, a secret, and what the features ask for beside that. */
import {
  Agent,
  type AgentEvent,
  type AgentListener,
  type AgentMessage,
  type AgentMiddleware,
  type AgentOptions,
  type AnyAgentTool,
  agentLoop,
  defineTool,
  type StreamFn,
} from "pi-agent";
import { type DurableSteps, durable } from "pi-agent/durable";
import { type Message, Type } from "pi-ai";
import { composeStreams, type StreamMiddleware } from "pi-ai/middleware";
import { DIED, MemoryEngine } from "./doubles.js";
import { type Call, MODEL, PROMPT, SECRET, Server, type Step } from "./server.js";

/** What a feature asks of the scene. */
export interface Needs {
  /** The model calls the tool of this name, which runs an agent. */
  child?: boolean;
  /** The second run is refused as too long until it contains a summary. */
  overflow?: boolean;
  /** The first process dies in the middle of a run, the second one finishes the runs, and the third one repeats them. */
  replay?: boolean;
  /** The system prompt changes between the two runs. */
  newPrompt?: boolean;
  /** Runs end with a call of the output's tool. */
  output?: boolean;
  /** The model calls both tools in one response. */
  parallel?: boolean;
}

/** What ends a run of a scene early. */
export interface Cut {
  /** The run is aborted while this tool runs, counted from 1. */
  abortAtTool?: number;
  /** The run is aborted at this delta of the conversation, counted from 1. */
  abortAtUpdate?: number;
  /** A budget refuses all requests after this number. */
  requests?: number;
}

export type HostName = "Agent" | "agentLoop";

/** The hooks and options that an agent and the functions of the loop have in common. */
type HostOptions = Pick<
  AgentOptions,
  | "transformContext"
  | "wrapModelCall"
  | "beforeToolCall"
  | "wrapToolCall"
  | "afterToolCall"
  | "prepareNextTurn"
  | "shouldStopAfterTurn"
  | "getApiKey"
  | "convertToLlm"
  | "onPayload"
  | "streamOptions"
>;

/** An agent, or the loop in its place, as a page or a log sees it. */
export interface Host {
  subscribe(listener: AgentListener): () => void;
  abort(): void;
  readonly state: { readonly messages: readonly AgentMessage[]; readonly streamingMessage?: AgentMessage | undefined };
  /** The agent, if it is one. */
  readonly agent: Agent | undefined;
}

/** What features add to one process. The order in which they add is the order of the list. */
export interface Setup {
  readonly options: HostOptions;
  readonly middleware: AgentMiddleware[];
  /** Around the stream function; the first is the outermost. */
  readonly streams: StreamMiddleware[];
  readonly tools: AnyAgentTool[];
  output: NonNullable<AgentOptions["initialState"]>["output"];
  engine: MemoryEngine | undefined;
  /** The number of stored steps at which the process dies. */
  readonly dieAt: number;
  /** Called when the host is made. */
  readonly joins: ((host: Host) => void | Promise<void>)[];
  /** Called before each run, with its number from 0. Returns what is awaited after the run. */
  readonly pages: ((host: Host, run: number) => Promise<void> | undefined)[];
  /** Called at the end of the process. */
  readonly leaves: (() => Promise<void>)[];
}

/** What one process has shown. */
export interface ProcessView {
  readonly events: AgentEvent[];
  readonly messages: AgentMessage[];
  /** Why a run rejected. */
  error: unknown;
}

/** What was observed of a scene. */
export interface Seen {
  readonly host: HostName;
  readonly server: Server;
  /** The features, in the order of their attachment. */
  readonly names: readonly string[];
  /** One, or three if a durable run was continued and repeated. */
  readonly processes: readonly ProcessView[];
  readonly last: ProcessView;
  /** The names of the tools that ran, in any process. */
  readonly toolRuns: readonly string[];
  /** Whether a run ended early, so that what comes at the end of a scene is missing. */
  readonly isCut: boolean;
  /** Whether the first process of a durable run dies in the middle of the first run. */
  readonly diesInside: boolean;
}

export const REPLIES: readonly string[] = ["reply one", "reply two"];
export const RESULT = "result of the work";

/** The conversation that the model plays. */
function planSteps({ child, output, parallel }: Needs): Step[] {
  const first = { say: "first I work", call: "work", args: { n: 1 }, id: "c1" };
  const second: Call = child
    ? { call: "child", args: { question: "?" }, id: "c2" }
    : { call: "work", args: { n: 2 }, id: "c2" };
  const replies = REPLIES.map(
    (say, run): Step => (output ? { say, call: "output", args: { city: "Oslo" }, id: `out${run}` } : { say }),
  );
  return [...(parallel ? [{ ...first, beside: second }] : [first, second]), ...replies];
}

/** One scene, with the parts that outlive its processes. */
export class Scene {
  readonly needs: Needs;
  readonly server: Server;
  readonly engine: MemoryEngine = new MemoryEngine();
  readonly toolRuns: string[] = [];
  readonly cut: Cut;
  #host: Host | undefined;

  constructor(needs: Needs, cut: Cut = {}) {
    this.needs = needs;
    this.cut = cut;
    this.server = new Server({ steps: planSteps(needs), overflows: needs.overflow ?? false });
  }

  /** @param dieAt the number of stored steps at which the process dies */
  createSetup(dieAt: number = Number.POSITIVE_INFINITY): Setup {
    const work = defineTool({
      name: "work",
      description: "Works",
      parameters: Type.Object({ n: Type.Number() }),
      replay: "safe",
      execute: async (_id, { n }) => {
        this.toolRuns.push("work");
        if (this.toolRuns.length === this.cut.abortAtTool) this.#host?.abort();
        return { content: [{ type: "text", text: `${RESULT} ${n}` }], details: {} };
      },
    });
    return {
      ...{ options: {}, middleware: [], streams: [], tools: [work], output: undefined },
      ...{ engine: undefined, dieAt, joins: [], pages: [], leaves: [] },
    };
  }

  /** Runs one process to its end. */
  async play(hostName: HostName, setup: Setup): Promise<ProcessView> {
    const streamFn = composeStreams(this.server.streamFn, setup.streams);
    const host = hostName === "Agent" ? new AgentHost(setup, streamFn) : new LoopHost(setup, streamFn);
    const view: ProcessView = { events: [], messages: [], error: undefined };
    this.#host = host;
    let updates = 0;
    host.subscribe((event) => {
      view.events.push(event);
      if (event.type === "message_update" && ++updates === this.cut.abortAtUpdate) host.abort();
    });
    for (const join of setup.joins) await join(host);
    const prompts = [`Hello. My key is ${SECRET}. ${"Some words. ".repeat(40)}`, "And now?"];
    for (const [run, prompt] of prompts.entries()) {
      if (run === 1 && this.needs.newPrompt) host.systemPrompt = "You are changed.";
      const pages = setup.pages.map((page) => page(host, run));
      try {
        await host.prompt(prompt);
      } catch (error) {
        view.error = error;
        break;
      }
      await Promise.all(pages);
    }
    for (const leave of setup.leaves) await leave();
    view.messages.push(...host.state.messages);
    return view;
  }
}

const opened = new WeakMap<Setup, DurableSteps>();

/** The one place that knows how an engine is attached. All agents of a process share what it opens. */
export function stepsOf(setup: Setup): Pick<AgentOptions, "steps"> {
  const { engine, dieAt } = setup;
  if (!engine) return {};
  const steps = opened.get(setup) ?? engine.open("run", dieAt);
  opened.set(setup, steps);
  return { steps: durable(steps) };
}

class AgentHost implements Host {
  readonly agent: Agent;

  constructor(setup: Setup, streamFn: StreamFn) {
    const { options, middleware, tools, output } = setup;
    const initialState = { model: MODEL, systemPrompt: PROMPT, tools, ...(output && { output }) };
    this.agent = new Agent({ ...options, ...stepsOf(setup), sessionId: "s", middleware, streamFn, initialState });
  }

  get state(): Host["state"] {
    return this.agent.state;
  }

  set systemPrompt(text: string) {
    this.agent.state.systemPrompt = text;
  }

  subscribe(listener: AgentListener): () => void {
    return this.agent.subscribe(listener);
  }

  abort(): void {
    this.agent.abort();
  }

  async prompt(text: string): Promise<void> {
    await this.agent.prompt(text);
  }
}

class LoopHost implements Host {
  readonly agent = undefined;
  readonly state: { messages: AgentMessage[]; streamingMessage?: AgentMessage | undefined } = { messages: [] };
  systemPrompt = PROMPT;
  readonly #listeners = new Set<AgentListener>();
  readonly #setup: Setup;
  readonly #streamFn: StreamFn;
  readonly #steps: ReturnType<typeof stepsOf>;
  #controller = new AbortController();

  constructor(setup: Setup, streamFn: StreamFn) {
    this.#setup = setup;
    this.#streamFn = streamFn;
    this.#steps = stepsOf(setup);
  }

  subscribe(listener: AgentListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  abort(): void {
    this.#controller.abort();
  }

  async prompt(text: string): Promise<void> {
    const { options, middleware, tools, output } = this.#setup;
    const { streamOptions, ...hooks } = options;
    const config = {
      model: MODEL,
      sessionId: "s",
      ...streamOptions,
      ...hooks,
      convertToLlm: hooks.convertToLlm ?? keepMessages,
      ...this.#steps,
    };
    const context = { systemPrompt: this.systemPrompt, messages: this.state.messages, tools };
    this.#controller = new AbortController();
    const { signal } = this.#controller;
    const prompt: AgentMessage = { role: "user", content: [{ type: "text", text }], timestamp: Date.now() };
    const settings = { ...config, middleware, ...(output && { output }) };
    let isOver = false;
    for await (const event of agentLoop([prompt], context, settings, signal, this.#streamFn)) {
      isOver = event.type === "agent_end";
      if (event.type === "message_update") this.state.streamingMessage = event.message;
      if (event.type === "message_end") {
        this.state.messages = [...this.state.messages, event.message];
        this.state.streamingMessage = undefined;
      }
      for (const listener of this.#listeners) await listener(event, signal);
    }
    // The stream of a run whose engine fails ends without an end of the run.
    if (!isOver) throw new Error(DIED);
  }
}

/** What `Agent` does by default. */
function keepMessages(messages: AgentMessage[]): Message[] {
  return messages.filter((message) => ["user", "assistant", "toolResult"].includes(message.role));
}
