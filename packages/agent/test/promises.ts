/** Sentences that promise something, and the test that holds each. `promises.test.ts` checks that both are there. */
import { AGENT_CLASS } from "./promises/agent-class.ts";
import { AGENT_PAGE } from "./promises/agent-page.ts";
import { ARCHITECTURE_PAGE } from "./promises/architecture-page.ts";
import { LOOP_FUNCTIONS } from "./promises/loop-functions.ts";
import { MIDDLEWARE_TYPES } from "./promises/middleware-types.ts";
import type { Place } from "./promises/promise-row.ts";
import { RUN_TYPES } from "./promises/run-types.ts";
import { TOOL_TYPES } from "./promises/tool-types.ts";

export const PLACES: readonly Place[] = [
  { file: "docs/agent.md", promises: AGENT_PAGE, others: ["tokens for each thinking level"] },
  { file: "packages/agent/src/agent.ts", promises: AGENT_CLASS, others: [] },
  { file: "packages/agent/src/agent-loop.ts", promises: LOOP_FUNCTIONS, others: [] },
  {
    file: "docs/architecture.md",
    promises: ARCHITECTURE_PAGE,
    others: [
      "one picture of each package",
      "what each event means",
      "turns each event into calls on the sink",
      "because calls wait for people",
      "one state of a call that waits",
      "rejected: because it is wrong, blocked: by a hook, declined: by a person",
    ],
  },
  ...RUN_TYPES,
  ...TOOL_TYPES,
  ...MIDDLEWARE_TYPES,
];
