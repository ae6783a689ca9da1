/** What docs/architecture.md promises, in the order of the page. */
import type { PromiseRow } from "./promise-row.ts";
import {
  AGENT,
  APPROVALS,
  ARCHITECTURE,
  BUILDER,
  CRASHES,
  DRIVER,
  HOOKS,
  LAYERS,
  LIMITS,
  LOOP,
  METHODS,
  MIDDLEWARE,
  PACKAGE_TARGETS,
  ROUTE,
  SEQUENCES,
  STEP_NAMES,
  STREAM_AROUND,
  TURN_ORDER,
} from "./tests.ts";

export const ARCHITECTURE_PAGE: readonly PromiseRow[] = [
  ["or a file beside it", PACKAGE_TARGETS, "has entries that exist in the sources"],
  [
    "and the build, the compiler and the tests take the source from there",
    PACKAGE_TARGETS,
    "gives the compiler the source of each entry",
  ],
  ["says in one line for each folder what it may import", LAYERS, "every folder has a line, and every line a folder"],
  [
    "A folder is entered by its `index.ts`, or by that of the folder above",
    LAYERS,
    "may have a second door, which is used",
  ],
  ["A test checks every import and breaks every line of the table", LAYERS, "every import keeps to the table"],
  ["but not the stage before it", LAYERS, "every import keeps to the table"],
  ["Aborts and slow readers act upstream", LAYERS, "every import keeps to the table"],
  [
    "No code outside `compat/` compares names of vendors",
    ARCHITECTURE,
    "says where the names of vendors are compared: in compat/ only",
  ],
  [
    "Every value that leaves the builder is a snapshot that shares structure with the previous one",
    BUILDER,
    "emits a valid sequence of events that never change: %s",
  ],
  [
    "Nothing changes after it was emitted",
    BUILDER,
    "never changes what it has emitted: everything may be frozen at once",
  ],
  [
    "which passes on aborts and slow readers",
    STREAM_AROUND,
    "a slow reader slows the source down, and a caller of result() does not",
  ],
  ["A test compares the two", ARCHITECTURE, "shows the loop as it is"],
  [
    "what happens once even if another process repeats the run goes through `run.steps`",
    CRASHES,
    "ends the same wherever a process dies, runs no unsafe tool twice",
  ],
  ["rejects a second run", METHODS, "what needs an idle agent is refused during a run, which goes on"],
  ["and closes the turn if that throws", LOOP, "ends a run that fails, with what was streamed so far"],
  [
    "emits `agent_start`, begins the first turn, delivers the prompt and then what was steered",
    SEQUENCES,
    "steering from before the prompt joins the first turn",
  ],
  [
    "builds the request through `transformContext` and `convertToLlm`",
    HOOKS,
    "runs before convertToLlm and changes one request only",
  ],
  [
    "lets the adapter build the request, calls `onPayload` and sends it",
    DRIVER,
    "calls onPayload once, even if the request is sent several times",
  ],
  [
    "reads them from the stream. `showProgress` (`packages/agent/src/loop/agent-run.ts`) emits `message_start` and `message_update`, `endResponse` `message_end`",
    SEQUENCES,
    "every event of a plain response",
  ],
  ["For each event `Agent` computes the new state", AGENT, "changes before listeners are notified"],
  ["their results are messages", SEQUENCES, "one tool call"],
  [
    "After `turn_end`, `askAfterTurn` and `takeNext` find what follows; the next turn delivers it and begins at step 3",
    SEQUENCES,
    "one tool call",
  ],
  [
    "The first events of a run that goes on after a pause. Each mark of a call is a message with its two events",
    TURN_ORDER,
    "the order from a prompt, and after a pause, to the first request is the listed one",
  ],
  [
    "joins the hooks of the application and of middleware to one of each kind",
    MIDDLEWARE,
    "the first in the list is the outermost, and the application frames the list",
  ],
  [
    "The events and hooks of a run in which both tools run",
    TURN_ORDER,
    "the order of events and hooks between two requests is the listed one",
  ],
  [
    "and its file in `packages/agent/src/loop`",
    TURN_ORDER,
    "the listed functions call these hooks and emit these events",
  ],
  [
    "has its `tool_execution_end` before the first tool runs, its result in its place among the others",
    APPROVALS,
    "asks the application before any tool of a response runs",
  ],
  ["emits `budget_warning` and `loop_noticed` in its `afterTurn`", LIMITS, "a request that does not fit is not sent"],
  ["is done for one call after the other", SEQUENCES, "sequential tool calls end and get their results one by one"],
  [
    "After each event but a delta, `onEvent` follows the listeners",
    MIDDLEWARE,
    "events reach a middleware after the listeners, without deltas",
  ],
  [
    "each poll of a queue and the request are steps",
    STEP_NAMES,
    "beforeToolCall, each tool, beforeRequest, the request, each decision after a turn and each poll are steps",
  ],
  ["`limits` counts it", LIMITS, "random runs never exceed their budget by more than one response"],
  ["`route` waits for it", ROUTE, "waits as long as a server requests, if that is short and no other model is free"],
];
