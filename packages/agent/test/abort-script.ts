/** A random run with an abort at a random point: random behaviour of the model, tools, hooks, listeners and users. */

import {
  Agent,
  type AgentEvent,
  type AgentMessage,
  type AgentOptions,
  type AgentToolResult,
  type AnyAgentTool,
  type StreamFn,
} from "pi-agent";
import { type AssistantMessage, AssistantMessageEventStream, type ToolCall, Type } from "pi-ai";
import { createRandom, type Random } from "../../../test/support/random.js";
import { call, eventsOf, MODEL, response, terminalEvent, text, user } from "./scripted-stream.js";
import { never, result } from "./scripted-tool.js";

/** How something pauses. */
const DELAYS = ["none", "none", "none", "ticks", "ticks", "never"] as const;
const TOOL_NAMES = ["quick", "slow", "stuck", "honest", "throwing", "chatty", "unknown", "late", "blocked"] as const;

export interface AbortedRun {
  agent: Agent;
  events: AgentEvent[];
  /** The queued messages, in order. */
  steered: AgentMessage[];
  followedUp: AgentMessage[];
  /** The number of requests so far. */
  modelRequests(): number;
  /** The number of requests at the abort; undefined before it. */
  modelRequestsAtAbort(): number | undefined;
  /** Aborts unless a point has done so. */
  abort(): void;
  /** Disables further aborts by the script. */
  disarm(): void;
  /** Releases everything that waits forever. */
  releaseAll(): void;
}

export function createAbortedRun(seed: number): AbortedRun {
  return new Script(createRandom(seed)).run;
}

class Script {
  readonly run: AbortedRun;
  readonly #random: Random;
  readonly #events: AgentEvent[] = [];
  readonly #steered: AgentMessage[] = [];
  readonly #followedUp: AgentMessage[] = [];
  readonly #releases: (() => void)[] = [];
  readonly #agent: Agent;
  #pointsLeft: number;
  #turnsLeft: number;
  #modelCalls = 0;
  #modelCallsAtAbort: number | undefined;

  constructor(random: Random) {
    this.#random = random;
    this.#pointsLeft = random.below(40);
    this.#turnsLeft = random.below(4);
    this.#agent = new Agent({
      initialState: {
        model: MODEL,
        tools: TOOL_NAMES.filter((name) => name !== "unknown").map((name) => this.#tool(name)),
      },
      streamFn: this.#streamFn,
      steeringMode: random.pick(["all", "one-at-a-time"]),
      followUpMode: random.pick(["all", "one-at-a-time"]),
      toolExecution: random.pick(["parallel", "parallel", "sequential"]),
      onListenerError: () => {},
      ...(random.chance(0.2) ? { maxParallelTools: 1 + random.below(3) } : {}),
      ...(random.chance(0.2) ? { toolTimeoutMs: 1 + random.below(50) } : {}),
      ...this.#hooks(),
    });
    for (let count = random.below(3); count > 0; count--) this.#steer();
    for (let count = random.below(3); count > 0; count--) this.#followUp();
    this.#listen();
    this.run = {
      agent: this.#agent,
      events: this.#events,
      steered: this.#steered,
      followedUp: this.#followedUp,
      modelRequests: () => this.#modelCalls,
      modelRequestsAtAbort: () => this.#modelCallsAtAbort,
      abort: () => this.#abort(),
      disarm: () => {
        this.#pointsLeft = -1;
      },
      releaseAll: () => {
        for (const release of this.#releases.splice(0)) release();
      },
    };
  }

  /** A point at which the abort may come. */
  #point(): void {
    if (this.#pointsLeft-- === 0) this.#abort();
  }

  #abort(): void {
    if (this.#modelCallsAtAbort !== undefined || !this.#agent.signal) return;
    this.#modelCallsAtAbort = this.#modelCalls;
    this.#agent.abort();
  }

  #steer(): void {
    const message = user(`S${this.#steered.length}`);
    this.#steered.push(message);
    this.#agent.steer(message);
  }

  #followUp(): void {
    const message = user(`F${this.#followedUp.length}`);
    this.#followedUp.push(message);
    this.#agent.followUp(message);
  }

  #listen(): void {
    if (this.#random.chance(0.3)) this.#agent.subscribe(() => this.#maybePause(0.1));
    this.#agent.subscribe((event) => {
      this.#events.push(event);
      this.#point();
      if (this.#random.chance(0.02)) this.#steer();
      if (this.#random.chance(0.02)) this.#followUp();
      if (this.#random.chance(0.01)) throw new Error("listener");
    });
    if (this.#random.chance(0.2)) this.#agent.subscribe(() => this.#maybePause(0.2));
  }

  /** Returns, with a small chance, a promise to wait for. */
  #maybePause(chance: number): Promise<void> | undefined {
    return this.#random.chance(chance) ? this.#pause() : undefined;
  }

  async #pause(): Promise<void> {
    const delay = this.#random.pick(DELAYS);
    if (delay === "never") {
      await new Promise<void>((resolve) => this.#releases.push(resolve));
      return;
    }
    for (let ticks = delay === "ticks" ? this.#random.below(6) : 0; ticks > 0; ticks--) await null;
    this.#point();
  }

  #hooks(): Partial<AgentOptions> {
    const random = this.#random;
    const hooks: Partial<AgentOptions> = {};
    const some = (): boolean => random.chance(0.25);
    const pause = (): Promise<void> => this.#pause();
    const fail = (): void => {
      if (random.chance(0.05)) throw new Error("hook");
    };
    if (some()) {
      hooks.beforeToolCall = async ({ toolCall }) => {
        await pause();
        fail();
        return { block: toolCall.name === "blocked" };
      };
    }
    if (some()) hooks.afterToolCall = () => pause().then(fail);
    if (some()) hooks.wrapToolCall = (_call, execute) => pause().then(execute).finally(pause);
    if (some())
      hooks.wrapModelCall = (request, send) =>
        pause()
          .then(() => send(request))
          .finally(pause);
    if (some()) hooks.transformContext = (messages) => pause().then(() => messages);
    if (some()) hooks.convertToLlm = (messages) => pause().then(() => messages as never);
    if (some()) hooks.getApiKey = () => pause().then(() => "key");
    if (some()) hooks.prepareNextTurn = () => pause().then(fail);
    if (some()) hooks.shouldStopAfterTurn = () => pause().then(() => random.chance(0.1));
    return hooks;
  }

  #tool(name: string): AnyAgentTool {
    const execute: AnyAgentTool["execute"] = async (id, args, signal, onUpdate) => {
      this.#point();
      args.changed = true;
      switch (name) {
        case "slow":
          await this.#pause();
          break;
        case "stuck":
          await new Promise<void>((resolve) => this.#releases.push(resolve));
          break;
        case "honest":
          await new Promise((_resolve, reject) => {
            if (signal?.aborted) reject(new Error("stopped"));
            signal?.addEventListener("abort", () => reject(new Error("stopped")), { once: true });
          });
          break;
        case "throwing":
          throw this.#random.pick([new Error("no"), undefined, { circular: "x" }, "text"]);
        case "chatty":
          for (let count = this.#random.below(4); count > 0; count--) {
            onUpdate?.(result(`${count} left`));
            if (this.#random.chance(0.5)) await null;
          }
          break;
        case "late":
          // Continues after its own end, which must have no effect.
          this.#releases.push(() => onUpdate?.(result("late")));
          break;
      }
      return { ...result(`${name} ${id}`), terminate: this.#random.chance(0.1) } satisfies AgentToolResult;
    };
    const executionMode = name === "slow" && this.#random.chance(0.2) ? "sequential" : "parallel";
    return { name, label: name, description: name, parameters: Type.Object({}), execute, executionMode };
  }

  readonly #streamFn: StreamFn = (_model, _context, options) => {
    this.#modelCalls++;
    this.#point();
    if (this.#random.chance(0.03)) throw new Error("stream function");
    const message = this.#nextResponse();
    const stream = new AssistantMessageEventStream();
    void this.#feed(stream, message, options?.signal);
    return this.#random.chance(0.2) ? this.#pause().then(() => stream) : stream;
  };

  #nextResponse(): AssistantMessage {
    if (this.#random.chance(0.05)) return text("half", { stopReason: "error", errorMessage: "provider" });
    if (this.#turnsLeft-- <= 0) return text("done");
    const content: AssistantMessage["content"] = [];
    if (this.#random.chance(0.3)) content.push({ type: "thinking", thinking: "well" });
    if (this.#random.chance(0.5)) content.push({ type: "text", text: "so" });
    const calls = this.#random.below(6);
    for (let index = 0; index < calls; index++) content.push(this.#call(index));
    return response(content, this.#random.chance(0.1) ? { stopReason: "length" } : {});
  }

  #call(index: number): ToolCall {
    const toolCall = call(`${this.#modelCalls}-${index}`, this.#random.pick(TOOL_NAMES));
    return this.#random.chance(0.05) ? { ...toolCall, argumentsError: "cut off" } : toolCall;
  }

  /** Streams with pauses. A well-behaved stream ends as soon as it is aborted; others continue or hang. */
  async #feed(stream: AssistantMessageEventStream, message: AssistantMessage, signal?: AbortSignal): Promise<void> {
    const partials: AssistantMessage[] = [];
    const stop = (): void => {
      const partial = partials.at(-1) ?? { ...message, content: [] };
      stream.push(terminalEvent({ ...partial, stopReason: "aborted", errorMessage: "Request was aborted" }));
    };
    if (this.#random.chance(0.5)) signal?.addEventListener("abort", stop, { once: true });
    for (const event of eventsOf(message)) {
      await this.#maybePause(0.15);
      this.#point();
      if ("partial" in event) partials.push(event.partial);
      stream.push(event);
    }
    await never;
  }
}
