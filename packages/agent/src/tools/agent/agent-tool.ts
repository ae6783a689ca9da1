/** A tool that runs an agent. */
import type { ToolArguments, Usage } from "pi-ai";
import { isFailure, isRecord, textOf } from "pi-ai/call";
import { type Checks, checkOptions, mayBeAnything, mustBeCount, mustBeFunction, mustBeObject } from "../../checks.js";
import { countChild } from "../../middleware/limits/index.js";
import { createAnswers, messagesSince, pendingRequests } from "../../pause/index.js";
import { toPlainValue } from "../../plain-value.js";
import { SETTINGS, TOOL_SETTINGS } from "../../settings.js";
import type { AgentEvent, AgentListener } from "../../types/event.js";
import type { AgentMessage, AgentMessageInput } from "../../types/message.js";
import { type ParentRun, type RunParent, TOOL_ERROR_DETAILS } from "../../types/parent-run.js";
import type { ToolPausing } from "../../types/pause.js";
import type { AgentToolContext, AgentToolOf, AgentToolOutput, ToolCallLimits } from "../../types/tool.js";

/** The part of an `Agent` that {@link agentTool} uses. */
export interface ChildAgent {
  /** Calls a function with every event. Returns the function that unsubscribes it. */
  subscribe(listener: AgentListener): () => unknown;
  /** Runs the agent as a part of the run that called the tool. Resolves when its run has ended. */
  prompt(
    input: AgentMessageInput | readonly AgentMessageInput[],
    images?: undefined,
    parent?: RunParent,
  ): Promise<void>;
  /** Goes on with its conversation after a pause. Without it, a call of an agent that pauses fails. */
  continue?(parent?: RunParent): Promise<void>;
  /** Aborts the run. */
  abort(): void;
  /** The conversation. It is set when the agent goes on after a pause. */
  readonly state: { messages: readonly AgentMessage[] };
}

/** Options of {@link agentTool}. */
export interface AgentToolOptions<TParameters extends object>
  extends Pick<
    AgentToolOf<ToolArguments<TParameters>, TParameters, AgentToolOutput>,
    "name" | "description" | "parameters" | "label" | "executionMode" | "replay" | keyof ToolCallLimits
  > {
  /** Returns the agent that executes a call. */
  agent: (params: ToolArguments<TParameters>) => ChildAgent | Promise<ChildAgent>;
  /** Returns the prompt. Default: the only argument if it is a string, otherwise all arguments as JSON. */
  prompt?: ((params: ToolArguments<TParameters>) => string | AgentMessageInput) | undefined;
  /** The maximum number of calls of this tool that one run executes at the same time; further calls wait. Default 4. */
  maxConcurrent?: number | undefined;
}

/** The details of a result of {@link agentTool}. */
export interface AgentToolDetails {
  /** The usage of the agent and of the agents that its tools ran. `sumUsage` of the parent's messages includes it. */
  childUsage: Usage;
  /** The number of its requests, and of those of the agents that its tools ran. */
  childRequests: number;
  /** The number of its tool calls that ran, and of those of the agents that its tools ran. */
  childToolCalls: number;
}

const DEFAULT_MAX_CONCURRENT = 4;

// A record, so that a new option fails to compile here. The tool itself is checked with the others of its agent.
const OPTIONS: Checks<Exclude<keyof AgentToolOptions<object>, keyof ToolCallLimits>> = {
  agent: mustBeFunction,
  prompt: mustBeFunction,
  maxConcurrent: mustBeCount,
  name: mayBeAnything,
  description: mayBeAnything,
  parameters: mayBeAnything,
  label: mayBeAnything,
  executionMode: mayBeAnything,
  replay: mayBeAnything,
};
const KNOWN: Checks = { ...OPTIONS, ...Object.fromEntries(TOOL_SETTINGS.map((name) => [name, SETTINGS[name].check])) };
/** How much of a failed agent's last text becomes part of the error, in characters. */
const MAX_LAST_WORDS = 1000;

/**
 * Creates a tool that runs an agent. The result of a call is the text of the agent's last response. If the agent fails,
 * the call fails with the error and the end of the agent's last text.
 *
 * If the agent pauses, the call waits: its requests are those of the parent, with a `path`, and its conversation is kept in the
 * parent's. When they are answered, `agent` is called again, and the agent that it returns goes on.
 *
 * The agent's events reach the listeners of the parent as `child_event`. An abort or a timeout of the call aborts the agent.
 * The agent also has those of the parent's middleware that are inherited, such as `limits` and `trace`: their budgets include
 * the agent's usage, and are checked before its requests; their traces include its runs.
 *
 * @example
 * const research = agentTool({
 *   name: "research",
 *   description: "Answers one question from the documentation",
 *   parameters: Type.Object({ question: Type.String() }),
 *   agent: () => new Agent({ initialState: { model, tools: [search] } }),
 * });
 *
 * @throws TypeError that names an unknown option or one with a wrong value; ConfigError for a limit
 */
export function agentTool<const TParameters extends object>(
  options: AgentToolOptions<TParameters>,
): AgentToolOf<ToolArguments<TParameters>, TParameters, AgentToolOutput> {
  mustBeObject("The options of agentTool", options);
  const { agent, prompt = toPrompt, maxConcurrent = DEFAULT_MAX_CONCURRENT, ...tool } = options;
  if (typeof agent !== "function") throw new TypeError("agent must be a function that returns an agent");
  checkOptions(options, KNOWN);
  // Each run has its own slots. An agent that waited for the slot of its own ancestor would wait forever.
  const slotsOf = new WeakMap<object, ChildSlots>();
  return {
    ...tool,
    execute: async (toolCallId, params, signal, _onUpdate, context = {}) => {
      // Calls outside a run share slots.
      const owner = context.run ?? slotsOf;
      const slots = slotsOf.get(owner) ?? new ChildSlots(maxConcurrent);
      slotsOf.set(owner, slots);
      await slots.take(signal);
      try {
        const input = prompt(params);
        const call = { toolCallId, toolName: tool.name, signal, context };
        const child: ChildAgent | undefined = await agent(params);
        if (typeof child?.prompt !== "function") throw new TypeError("The option agent returned no agent");
        return await runChild(child, typeof input === "string" ? toUserMessage(input) : input, call);
      } finally {
        slots.release();
      }
    },
  };
}

interface ChildCall {
  toolCallId: string;
  toolName: string;
  signal: AbortSignal | undefined;
  context: AgentToolContext;
}

async function runChild(child: ChildAgent, input: AgentMessageInput, call: ChildCall): Promise<AgentToolOutput> {
  const { toolCallId, toolName, signal, context } = call;
  const { run: parent, scope } = context;
  signal?.throwIfAborted();
  const resumed = readConversation(context.pausing);
  if (resumed) child.state.messages = resumed;
  const before = child.state.messages.slice();
  let sideUsages: readonly Usage[] = [];
  const leave =
    parent &&
    child.subscribe((event) => {
      if (event.type === "agent_end") sideUsages = event.sideUsages ?? [];
      return forward(event, child, { ...call, parent });
    });
  const abort = (): void => child.abort();
  // The result of a call that is aborted, or late, does not say what the agent has used.
  const unreported = Promise.withResolvers<Usage | undefined>();
  const count = () => countChild(messagesSince(before, child.state.messages), sideUsages);
  parent?.countUsage(unreported.promise, () => count().usage);
  signal?.addEventListener("abort", abort, { once: true });
  try {
    const runParent = parent && { run: parent, call: { id: toolCallId, name: toolName }, scope };
    if (resumed) await child.continue?.(runParent);
    else await child.prompt(input, undefined, runParent);
  } finally {
    unreported.resolve(signal?.aborted ? count().usage : undefined);
    signal?.removeEventListener("abort", abort);
    leave?.();
  }
  const { usage: childUsage, requests: childRequests, toolCalls: childToolCalls } = count();
  const details = { childUsage, childRequests, childToolCalls };
  if (!signal?.aborted) {
    parent?.reportUsage?.(context, childUsage);
    pauseWith(child, context.pausing, details);
  }
  return toOutput(messagesSince(before, child.state.messages), details);
}

/** The conversation of an agent that has paused, with the answers; undefined for a call that begins. */
function readConversation(pausing: ToolPausing | undefined): AgentMessage[] | undefined {
  const kept = pausing?.resume;
  if (!(pausing && isRecord(kept) && Array.isArray(kept["messages"]))) return undefined;
  // The messages of an agent, as `pauseWith` kept them. The time of the answers was checked when they were given.
  const messages = kept["messages"] as AgentMessage[];
  return [...messages, ...createAnswers(messages, pausing.answers, 0)];
}

/** Lets the call wait if its agent does. */
function pauseWith(child: ChildAgent, pausing: ToolPausing | undefined, details: AgentToolDetails): void {
  const { messages } = child.state;
  const requests = pendingRequests(messages);
  if (requests.length === 0) return;
  if (!(pausing && child.continue))
    throw new Error(
      "The agent waits for an answer, but cannot go on: it has no method continue, or runs outside of a run",
    );
  try {
    // A store must give back what was signed, and the details of a result may be anything.
    pausing.pause(requests, toPlainValue({ messages }));
  } catch (error) {
    // The mark of the call says what the agent has used so far.
    throw error instanceof Error ? Object.assign(error, { [TOOL_ERROR_DETAILS]: details }) : error;
  }
}

/** Passes an event on to the parent's listeners, unless the call was aborted: for them, it has ended already. */
function forward(
  event: AgentEvent,
  child: ChildAgent,
  { toolCallId, toolName, signal, parent }: ChildCall & { parent: ParentRun },
): Promise<void> | undefined {
  if (signal?.aborted) return undefined;
  const abort = (): void => child.abort();
  try {
    // If this fails, the parent's run fails, so the child must not continue.
    return parent.emit({ type: "child_event", parentToolCallId: toolCallId, toolName, event })?.catch(abort);
  } catch {
    abort();
    return undefined;
  }
}

/** @throws Error if the agent failed, with its last text and its usage */
function toOutput(messages: readonly AgentMessage[], details: AgentToolDetails): AgentToolOutput {
  const responses = messages.filter((message) => message.role === "assistant");
  const last = responses.at(-1);
  if (last && !isFailure(last.stopReason))
    return { content: [{ type: "text", text: wordsOf(last) || "(no text)" }], details };
  const words = responses.map(wordsOf).findLast((text) => text !== "");
  const reason = last?.errorMessage ?? "it did not respond";
  const error = new Error(
    `The agent failed: ${reason}${words ? `\nIts last text: ${words.slice(-MAX_LAST_WORDS)}` : ""}`,
  );
  throw Object.assign(error, { [TOOL_ERROR_DETAILS]: details });
}

function wordsOf(message: AgentMessage): string {
  if (message.role !== "assistant") return "";
  return textOf(message.content, "\n").trim();
}

function toPrompt(params: object): string {
  const values: unknown[] = Object.values(params);
  const [only] = values;
  return values.length === 1 && typeof only === "string" ? only : JSON.stringify(params);
}

function toUserMessage(content: string): AgentMessageInput {
  return { role: "user", content };
}

/** Limits how many calls of a tool run at the same time. */
class ChildSlots {
  #free: number;
  /** The functions that let the waiting calls continue, in order of arrival. */
  readonly #waiting = new Set<() => void>();

  constructor(slots: number) {
    this.#free = slots;
  }

  /** Waits for a slot. Rejects with the reason of the signal if it aborts first. */
  async take(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    const slot = Promise.withResolvers<void>();
    const leave = (): void => {
      this.#waiting.delete(slot.resolve);
      slot.reject(signal?.reason);
    };
    this.#waiting.add(slot.resolve);
    signal?.addEventListener("abort", leave, { once: true });
    try {
      await slot.promise;
    } finally {
      signal?.removeEventListener("abort", leave);
    }
  }

  /** Passes the slot to the next waiting call. */
  release(): void {
    for (const next of this.#waiting) {
      this.#waiting.delete(next);
      next();
      return;
    }
    this.#free++;
  }
}
