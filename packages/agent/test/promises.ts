/** Sentences that promise something, and the test that holds each. `promises.test.ts` checks that both are there. */

export interface Promised {
  /** A part of the sentence, as it stands in the page or the docstring. */
  says: string;
  /** The page or the source, from the root of the repository. */
  in: string;
  /** The file of the test, and its name. */
  test: readonly [file: string, name: string];
}

const AGENT = "packages/agent/src/agent.test.ts";
const LOOP = "packages/agent/src/agent-loop.test.ts";
const LISTENERS = "packages/agent/src/state/listeners.test.ts";
const ABORT = "packages/agent/test/abort.test.ts";
const STATEMENTS = "packages/agent/test/agent-statements.test.ts";
const PAGE = "docs/agent.md";
const CLASS = "packages/agent/src/agent.ts";

export const PROMISES: readonly Promised[] = [
  {
    says: "calls the listeners one after the other, in the order in which they subscribed",
    in: PAGE,
    test: [LISTENERS, "are awaited one after the other"],
  },
  {
    says: "for the promise that it returns, or for one tick of the microtask queue",
    in: PAGE,
    test: [LISTENERS, "get one tick of the microtask queue each, as if awaited"],
  },
  {
    says: "has caught up when `prompt()` resolves",
    in: PAGE,
    test: [LISTENERS, "that queue their own work are done when prompt() resolves"],
  },
  { says: "For every event the state changes first", in: PAGE, test: [AGENT, "changes before listeners are notified"] },
  {
    says: "Changes to `agent.state` or to the agent during a run apply from the next run on",
    in: PAGE,
    test: [STATEMENTS, "applies from the next run on"],
  },
  {
    says: "Queues, their modes and `prepareNextTurn` are live",
    in: PAGE,
    test: [STATEMENTS, "a prepareNextTurn is removed at once, but not added"],
  },
  {
    says: "never makes the run skip a slow listener",
    in: PAGE,
    test: [AGENT, "does not release a slow listener when another part of the program calls it, however long it takes"],
  },
  {
    says: "It reads the follow-up queue when it would end",
    in: PAGE,
    test: [STATEMENTS, "is read when all results of a batch ask for the end of the run"],
  },
  {
    says: "goes back to the head of its queue",
    in: PAGE,
    test: [AGENT, "get back, at their head, what an abort kept from being delivered"],
  },
  {
    says: "the agent begins another run by itself before `prompt()` resolves",
    in: PAGE,
    test: ["packages/agent/test/late-messages.test.ts", "is answered in a run of its own"],
  },
  {
    says: "shows what the next turn would take",
    in: PAGE,
    test: [AGENT, "are shown without being emptied, steering first"],
  },
  {
    says: "`prompt()` resolves even if the run fails",
    in: PAGE,
    test: [AGENT, "resolves if the run failed, and keeps the error in the state until the next run"],
  },
  {
    says: "Listeners still receive every event, in order",
    in: PAGE,
    test: [ABORT, "every listener still gets every event, in order, if one of them hangs"],
  },
  {
    says: "`prompt()` works again as soon as the first one has resolved",
    in: PAGE,
    test: [ABORT, "prompt works immediately afterwards"],
  },
  { says: "Does nothing when idle", in: CLASS, test: [ABORT, "does nothing when idle"] },
  {
    says: "Clears the conversation, the last error and the queues; keeps all settings",
    in: CLASS,
    test: [AGENT, "forgets the conversation, the error and the queues, and keeps what was set"],
  },
  {
    says: "@throws AgentBusyError when a run is in progress",
    in: CLASS,
    test: [AGENT, "is refused during a run, which goes on unharmed"],
  },
  {
    says: "Resolves when the run is over and its listeners are done; at once when idle",
    in: CLASS,
    test: [AGENT, "resolves at once when idle, and after the listeners of agent_end but before prompt otherwise"],
  },
  {
    says: "resolves as soon as the run waits for that listener, before the run is over",
    in: CLASS,
    test: [AGENT, "resolves early for the listener that awaits it, and the run waits for all that the listener does"],
  },
  {
    says: "the run ends with an error message and `agent_end`, also if a setting is refused",
    in: "packages/agent/src/agent-loop.ts",
    test: [LOOP, "ends with an error when the context is none"],
  },
  {
    says: "passes events to `emit` and waits for the promise that it returns",
    in: "packages/agent/src/agent-loop.ts",
    test: [LOOP, "waits for what emit returns, except after an abort"],
  },
  {
    says: "A test compares this list with such a run, and with the files",
    in: "docs/architecture.md",
    test: ["test/turn-order.test.ts", "the order of events and hooks between two requests is the listed one"],
  },
];
