/** Sentences that promise something, and the test that holds each. `promises.test.ts` checks that both are there. */
import { AGENT_PAGE } from "./promises/agent-page.ts";
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
  {
    file: "docs/agent.md",
    promises: AGENT_PAGE,
    others: ["tokens for each thinking level"],
  },
];
