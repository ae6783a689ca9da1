/** A tool that runs an agent. */
import type { ToolArguments, Usage } from "pi-ai";
import type { AgentEvent, AgentListener } from "../types/event.js";
import type { AgentMessage, AgentMessageInput } from "../types/message.js";
import type { ParentRun } from "../types/parent-run.js";
import { TOOL_ERROR_DETAILS } from "../types/parent-run.js";
import type { RunLimits } from "../types/run-guard.js";
import type { AgentToolOf, AgentToolOutput } from "../types/tool.js";
import { ChildSlots } from "./child-slots.js";
import { LimitsGuard } from "./limits-guard.js";
import { sumUsage } from "./sum-usage.js";

/** The part of an `Agent` that {@link agentTool} uses. */
export interface ChildAgent {
  /** Calls a function with every event. */
  subscribe(listener: AgentListener): () => unknown;
  /** Runs the agent. */
  prompt(input: AgentMessageInput | readonly AgentMessageInput[]): Promise<void>;
  /** Ends the run. */
  abort(): void;
  /** The conversation. */
  readonly state: { readonly messages: readonly AgentMessage[] };
  /** The agent's own limits. Those of the parent apply, too. */
  runLimits?: RunLimits | undefined;
}

/** Options of {@link agentTool}. */
export interface AgentToolOptions<TParameters extends object>
  extends Pick<
    AgentToolOf<ToolArguments<TParameters>, TParameters, AgentToolOutput>,
    "name" | "description" | "parameters" | "label" | "executionMode" | "toolTimeoutMs" | "replay"
  > {
  /** Creates the agent of one call. */
  agent: (params: ToolArguments<TParameters>) => ChildAgent | Promise<ChildAgent>;
  /** Returns the prompt. Default: the argument if there is only one and it is a text, otherwise the arguments as JSON. */
  prompt?: (params: ToolArguments<TParameters>) => string | AgentMessageInput;
  /** The maximum number of agents of this tool that a run executes at the same time; the others wait. Default 4. */
  maxConcurrent?: number;
}

/** The details of a result of {@link agentTool}. */
export interface AgentToolDetails {
  /** The usage of the agent and of the agents that its tools ran. `sumUsage` adds it to that of the parent. */
  childUsage: Usage;
}

const DEFAULT_MAX_CONCURRENT = 4;
/** The maximum length of the text that the model gets from a failed agent, in characters. */
const MAX_LAST_WORDS = 1000;

/**
 * Creates a tool that runs an agent. The result of a call is the text of the agent's last response. If the agent fails,
 * the call fails with the error and the end of the agent's last text.
 *
 * The agent's events reach the listeners of the parent as `child_event`. An abort or a timeout of the call aborts the agent.
 * The budgets of the parent's `limits` include the agent's usage, and are checked before its requests.
 *
 * @example
 * const research = agentTool({
 *   name: "research",
 *   description: "Answers one question from the documentation",
 *   parameters: Type.Object({ question: Type.String() }),
 *   agent: () => new Agent({ initialState: { model, tools: [search] } }),
 * });
 *
 * @throws TypeError for a `maxConcurrent` below 1
 */
export function agentTool<const TParameters extends object>(
  options: AgentToolOptions<TParameters>,
): AgentToolOf<ToolArguments<TParameters>, TParameters, AgentToolOutput> {
  const { agent, prompt = toPrompt, maxConcurrent = DEFAULT_MAX_CONCURRENT, ...tool } = options;
  if (!(maxConcurrent >= 1)) throw new TypeError("maxConcurrent must be 1 or more");
  // Each run has its own slots: grandchildren that waited for the slots of their ancestors would wait forever.
  const slotsOf = new WeakMap<object, ChildSlots>();
  return {
    ...tool,
    execute: async (toolCallId, params, signal, _onUpdate, _execution, parent) => {
      const owner = parent ?? slotsOf;
      const slots = slotsOf.get(owner) ?? new ChildSlots(Math.floor(maxConcurrent));
      slotsOf.set(owner, slots);
      await slots.take(signal);
      try {
        const input = prompt(params);
        const call = { toolCallId, toolName: tool.name, signal, parent };
        return await runChild(await agent(params), typeof input === "string" ? toUserMessage(input) : input, call);
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
  parent: ParentRun | undefined;
}

async function runChild(child: ChildAgent, input: AgentMessageInput, call: ChildCall): Promise<AgentToolOutput> {
  const { signal, parent } = call;
  signal?.throwIfAborted();
  const before = child.state.messages.length;
  if (parent?.guard instanceof LimitsGuard) child.runLimits = inherit(child.runLimits, parent.guard);
  const leave = parent && child.subscribe((event) => forward(event, child, { ...call, parent }));
  const abort = (): void => child.abort();
  signal?.addEventListener("abort", abort, { once: true });
  try {
    await child.prompt(input);
  } finally {
    signal?.removeEventListener("abort", abort);
    leave?.();
  }
  return toOutput(child.state.messages.slice(before));
}

/** For the parent's listeners, an aborted call has ended, so its events are dropped. */
function forward(
  event: AgentEvent,
  child: ChildAgent,
  { toolCallId, toolName, signal, parent }: ChildCall & { parent: ParentRun },
): Promise<void> | undefined {
  if (signal?.aborted) return undefined;
  const abort = (): void => child.abort();
  try {
    // This error fails the parent's run, so the child must stop.
    return parent.emit({ type: "child_event", parentToolCallId: toolCallId, toolName, event })?.catch(abort);
  } catch {
    abort();
    return undefined;
  }
}

function inherit(own: RunLimits | undefined, parent: LimitsGuard): RunLimits {
  return { begin: (run) => own?.begin(run, parent) ?? new LimitsGuard(parent.options, run) };
}

/** @throws Error with the last text and the usage of an agent that failed */
function toOutput(messages: readonly AgentMessage[]): AgentToolOutput {
  const details: AgentToolDetails = { childUsage: sumUsage(messages) };
  const responses = messages.filter((message) => message.role === "assistant");
  const last = responses.at(-1);
  if (last && last.stopReason !== "error" && last.stopReason !== "aborted")
    return { content: [{ type: "text", text: textOf(last) || "(no text)" }], details };
  const words = responses.map(textOf).findLast((text) => text !== "");
  const reason = last?.errorMessage ?? "it did not respond";
  const error = new Error(
    `The agent failed: ${reason}${words ? `\nIts last text: ${words.slice(-MAX_LAST_WORDS)}` : ""}`,
  );
  throw Object.assign(error, { [TOOL_ERROR_DETAILS]: details });
}

function textOf(message: AgentMessage): string {
  if (message.role !== "assistant") return "";
  return message.content
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n")
    .trim();
}

function toPrompt(params: object): string {
  const values: unknown[] = Object.values(params);
  const [only] = values;
  return values.length === 1 && typeof only === "string" ? only : JSON.stringify(params);
}

function toUserMessage(content: string): AgentMessageInput {
  return { role: "user", content };
}
