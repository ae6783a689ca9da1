/** Ends a run that repeats the same tool calls with the same results: the limit `maxRepeats`. */
import type { ToolResultMessage } from "pi-ai";
import type { AgentContext } from "../types/agent-context.js";
import type { AgentLoopConfig } from "../types/config.js";
import type { AgentToolCall } from "../types/message.js";
import type { RunHooks } from "../types/middleware.js";
import { findToolCalls } from "./requested-work.js";
import { findTool } from "./tools/tool-call.js";

/** After this many identical results, a different one is unlikely. */
const DEFAULT_MAX_REPEATS = 10;

/** The hooks of `maxRepeats`. */
export function watchRepeats(run: { config: Pick<AgentLoopConfig, "maxRepeats">; context: AgentContext }): RunHooks {
  const { maxRepeats = DEFAULT_MAX_REPEATS } = run.config;
  if (maxRepeats === 0) return {};
  const rounds = new RepeatedRounds();
  return {
    afterTurn: ({ message, toolResults }) => {
      if (toolResults.length === 0) return undefined;
      const calls = findToolCalls(message);
      const { tools } = run.context;
      if (calls.some(({ name, serverTool }) => !serverTool && findTool(tools, name)?.polls)) rounds.reset();
      else rounds.add(calls, toolResults);
      if (rounds.count < maxRepeats) return undefined;
      return { stop: { by: "loop", loop: "same_call", repeats: rounds.count } };
    },
    beforeMessages: () => rounds.reset(),
  };
}

class RepeatedRounds {
  #calls: readonly AgentToolCall[] = [];
  #results: readonly ToolResultMessage[] = [];
  /** The number of consecutive occurrences of the latest round; 0 without one. */
  count = 0;

  /** Adds a round. Compares it only with the previous one, and stops at the first difference. */
  add(calls: readonly AgentToolCall[], results: readonly ToolResultMessage[]): void {
    this.count = this.#isSame(calls, results) ? this.count + 1 : 1;
    this.#calls = calls;
    this.#results = results;
  }

  /** Starts counting anew. */
  reset(): void {
    this.#calls = [];
    this.count = 0;
  }

  #isSame(calls: readonly AgentToolCall[], results: readonly ToolResultMessage[]): boolean {
    const before = this.#calls;
    if (calls.length !== before.length) return false;
    // Most rounds differ in their calls, so these come first.
    const isSameCall = (call: AgentToolCall, index: number): boolean =>
      call.name === before[index]?.name && isEqual(call.arguments, before[index].arguments);
    const isSameResult = ({ isError, content }: ToolResultMessage, index: number): boolean =>
      isError === this.#results[index]?.isError && isEqual(content, this.#results[index].content);
    return calls.every(isSameCall) && results.every(isSameResult);
  }
}

/** Compares JSON values. A cyclic or very deep value counts as different. */
function isEqual(one: unknown, other: unknown, depth = 0): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other || depth > MAX_DEPTH) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  for (const key of keys) if (!isEqual(Reflect.get(one, key), Reflect.get(other, key), depth + 1)) return false;
  return true;
}

const MAX_DEPTH = 100;
