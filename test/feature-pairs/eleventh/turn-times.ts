/** A made-up feature: reports how long each turn took and what it used. `npm run task features:files` counts the files that name it. */
import type { AgentMiddleware } from "pi-agent";

/** One turn of a run. */
export interface TurnTime {
  /** From the beginning of the turn to its end, in milliseconds. */
  ms: number;
  /** The tokens of its response. */
  tokens: number;
}

/** Calls a function after each turn, once even if another process repeats the run. */
export function turnTimes(report: (turn: TurnTime) => void): AgentMiddleware {
  return {
    name: "turn-times",
    begin: (run) => {
      let began = run.now();
      return {
        onEvent: (event) => {
          if (event.type === "turn_start") began = run.now();
          if (event.type !== "turn_end" || event.replayed || event.message.role !== "assistant") return;
          report({ ms: run.now() - began, tokens: event.message.usage.totalTokens });
        },
      };
    },
  };
}
