/** The scenarios that measure the additional cost of optional entries per request or turn. */
import type { Scenario } from "./scenario.ts";

export const ADDED_SCENARIOS: readonly Scenario[] = [
  {
    name: "route of two healthy models, 1,000 requests in memory",
    work: "added",
    input: { size: 1000, variant: "route" },
    goal: 4.0,
    only: "ours",
    floor: "the same stream function without the route",
  },
  {
    name: "Agent with limits that are never reached, 1,000 turns",
    work: "added",
    input: { size: 1000, variant: "limits" },
    goal: 1.2,
    grows: { size: 10_000, exponent: 1.05 },
    only: "ours",
    floor: "the same agent without limits",
  },
];
