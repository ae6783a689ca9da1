/** Sentences that promise something, and the test that holds each. `promises.test.ts` checks that both are there. */
import { AGENT_CLASS } from "./promises/agent-class.ts";
import { AGENT_PAGE } from "./promises/agent-page.ts";
import { LOOP_FUNCTIONS } from "./promises/loop-functions.ts";
import type { PromiseRow } from "./promises/promise-row.ts";

/** What a page or a source promises. */
export interface Place {
  /** From the root of the repository. */
  file: string;
  promises: readonly PromiseRow[];
  /** Parts of sentences that sound like a promise, and say something else. */
  others: readonly string[];
}

export const PLACES: readonly Place[] = [
  { file: "docs/agent.md", promises: AGENT_PAGE, others: ["tokens for each thinking level"] },
  { file: "packages/agent/src/agent.ts", promises: AGENT_CLASS, others: [] },
  { file: "packages/agent/src/agent-loop.ts", promises: LOOP_FUNCTIONS, others: [] },
];
