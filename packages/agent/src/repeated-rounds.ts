/** The first stage of the detection of loops: counts the same tool calls with the same results, and limits them. */
import type { ToolResultMessage } from "pi-ai";
import { isEqual } from "./is-equal.js";
import type { AgentToolCall } from "./types/message.js";
import type { RunHooks } from "./types/middleware.js";
import type { AnyAgentTool } from "./types/tool.js";

/** After this many identical results, a different one is unlikely. */
const DEFAULT_MAX_REPEATS = 10;

/** The loop's own limit, as hooks that come before those of all middleware. */
export function limitRepeats(rounds: RepeatedRounds, maxRepeats: number = DEFAULT_MAX_REPEATS): RunHooks {
  const beforeMessages = (): void => rounds.reset();
  if (maxRepeats === 0) return { beforeMessages };
  return {
    beforeMessages,
    afterTurn: ({ repeats }) =>
      repeats >= maxRepeats ? { stop: { by: "loop", loop: "same_call", repeats } } : undefined,
  };
}

/** Beyond this many calls of a round their order counts: to find it takes quadratic time. */
const MAX_UNORDERED = 64;

/** Counts rounds, which are the tool calls of one response with their results. */
export class RepeatedRounds {
  #round: Round = NO_ROUND;
  #count = 0;

  /**
   * Adds a round. Compares it with the previous one only.
   *
   * @returns how often it came in a row; 0 without calls, and with a tool that polls, which never repeats another round
   */
  add(
    calls: readonly AgentToolCall[],
    results: readonly ToolResultMessage[],
    tools: readonly AnyAgentTool[] | undefined,
  ): number {
    if (calls.length === 0) return 0;
    for (const { name, serverTool } of calls) {
      if (serverTool || !tools?.find((tool) => tool.name === name)?.polls) continue;
      this.reset();
      return 0;
    }
    const round = { calls, results };
    this.#count = isSameRound(round, this.#round) ? this.#count + 1 : 1;
    this.#round = round;
    return this.#count;
  }

  /** Starts counting anew. */
  reset(): void {
    this.#round = NO_ROUND;
    this.#count = 0;
  }
}

/** Calls, and a result for each. */
interface Round {
  readonly calls: readonly AgentToolCall[];
  readonly results: readonly ToolResultMessage[];
}

const NO_ROUND: Round = { calls: [], results: [] };

/** Parallel calls may come in another order. */
function isSameRound(round: Round, before: Round): boolean {
  const { length } = round.calls;
  if (length !== before.calls.length) return false;
  let index = 0;
  while (index < length && isSame(round, index, before, index)) index++;
  if (index === length || length > MAX_UNORDERED) return index === length;
  const rest = [...before.calls.keys()];
  return round.calls.every((_, place) => {
    const found = rest.findIndex((other) => isSame(round, place, before, other));
    return found >= 0 && rest.splice(found, 1).length > 0;
  });
}

/** Stops at the first difference. Most rounds differ in their calls, so these come first. */
function isSame(round: Round, index: number, before: Round, other: number): boolean {
  const call = round.calls[index];
  const earlier = before.calls[other];
  return (
    call?.name === earlier?.name &&
    call?.argumentsText === earlier?.argumentsText &&
    isEqual(call?.arguments, earlier?.arguments, MAX_DEPTH) &&
    round.results[index]?.isError === before.results[other]?.isError &&
    isEqual(round.results[index]?.content, before.results[other]?.content, MAX_DEPTH)
  );
}

/** Values of JSON that are nested deeper count as different. */
const MAX_DEPTH = 100;
