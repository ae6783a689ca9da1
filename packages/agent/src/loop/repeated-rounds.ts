/** The first stage of the detection of loops: counts the same tool calls with the same results. */
import type { ToolResultMessage } from "pi-ai";
import type { AgentToolCall } from "../types/message.js";
import type { AnyAgentTool } from "../types/tool.js";
import { findTool } from "./tools/tool-call.js";

interface SeenCall {
  readonly call: AgentToolCall;
  readonly result: ToolResultMessage;
}

/** Beyond this many calls of a round their order counts: to find it takes quadratic time. */
const MAX_UNORDERED = 64;

/** Counts rounds, which are the tool calls of one response with their results. */
export class RepeatedRounds {
  #round: readonly SeenCall[] = [];
  #count = 0;

  /**
   * Adds a round. Compares it with the previous one only.
   *
   * @returns how often it came in a row; 0 for a round with a tool that polls, which never repeats another one
   */
  add(
    calls: readonly AgentToolCall[],
    results: readonly ToolResultMessage[],
    tools: readonly AnyAgentTool[] | undefined,
  ): number {
    if (calls.some(({ name, serverTool }) => !serverTool && findTool(tools, name)?.polls)) {
      this.reset();
      return 0;
    }
    const round = calls.flatMap((call, index) => {
      const result = results[index];
      return result ? [{ call, result }] : [];
    });
    this.#count = isSameRound(round, this.#round) ? this.#count + 1 : 1;
    this.#round = round;
    return this.#count;
  }

  /** Starts counting anew. */
  reset(): void {
    this.#round = [];
    this.#count = 0;
  }
}

/** Parallel calls may come in another order. */
function isSameRound(round: readonly SeenCall[], before: readonly SeenCall[]): boolean {
  if (round.length !== before.length) return false;
  const isInOrder = round.every((seen, index) => isSame(seen, before[index]));
  if (isInOrder || round.length > MAX_UNORDERED) return isInOrder;
  const rest = [...before];
  return round.every((seen) => {
    const index = rest.findIndex((other) => isSame(seen, other));
    return index >= 0 && rest.splice(index, 1).length > 0;
  });
}

/** Stops at the first difference. Most rounds differ in their calls, so these come first. */
function isSame({ call, result }: SeenCall, before: SeenCall | undefined): boolean {
  return (
    call.name === before?.call.name &&
    call.argumentsText === before.call.argumentsText &&
    isEqual(call.arguments, before.call.arguments) &&
    result.isError === before.result.isError &&
    isEqual(result.content, before.result.content)
  );
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
