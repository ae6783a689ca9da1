/** The rules for every replayed recording, by name. */
import { checkText, checkThinking, checkTools } from "./check-content.js";
import { checkError, checkSettle, checkStop } from "./check-ending.js";
import { checkFields, checkRequests, checkSecret } from "./check-surface.js";
import { checkCost, checkUsage } from "./check-usage.js";
import { faultOfEvents } from "./events-rule.js";
import type { Case, Check } from "./judgement.js";

export type RuleName =
  | "events"
  | "settle"
  | "fields"
  | "requests"
  | "secret"
  | "text"
  | "thinking"
  | "tools"
  | "stop"
  | "usage"
  | "cost"
  | "error";

type Rules = readonly (readonly [RuleName, Check])[];

const EVERYWHERE: Rules = [
  ["events", faultOfEvents],
  ["settle", checkSettle],
  ["fields", checkFields],
  ["requests", checkRequests],
  ["secret", checkSecret],
];

const STREAM_RULES: Rules = [
  ...EVERYWHERE,
  ["text", checkText],
  ["thinking", checkThinking],
  ["tools", checkTools],
  ["stop", checkStop],
  ["usage", checkUsage],
  ["cost", checkCost],
];

const ERROR_RULES: Rules = [...EVERYWHERE, ["error", checkError]];

export interface Violation {
  rule: RuleName;
  problem: string;
}

/** Every rule that the response broke. */
export function judge(testCase: Case): Violation[] {
  const rules = testCase.allowed ? STREAM_RULES : ERROR_RULES;
  return rules.flatMap(([rule, check]) => {
    const problem = check(testCase);
    return problem === undefined ? [] : [{ rule, problem }];
  });
}
