/** What the docstrings of the functions of the loop promise, in their order. */
import type { PromiseRow } from "./promise-row.ts";
import { DURABLE, LOOP, METHODS, MISTAKES, SAID, SEQUENCES, SERVER_TOOLS, SETTINGS, STATEMENTS } from "./tests.ts";

export const LOOP_FUNCTIONS: readonly PromiseRow[] = [
  ["Adds prompts to a conversation and runs until the model has nothing left to do", SEQUENCES, "one tool call"],
  ["the run ends with an error message and `agent_end`", SEQUENCES, "$title: the run ends with an error"],
  [
    "also if a setting is refused",
    SETTINGS,
    "of %s is refused by the agent, by a run for which it was changed, and ends a loop with an error",
  ],
  [
    "only a durable run whose engine fails has no `agent_end`",
    METHODS,
    "ends without agent_end if the engine of a durable run fails",
  ],
  [
    "The result of the stream is the list of new messages",
    LOOP,
    "emits no event for what was there, and returns what is new",
  ],
  [
    "a message without a timestamp gets the time at which the run begins",
    SAID,
    "prompts of the loop need no timestamp",
  ],
  ["aborts the run; it settles within 20 ms", METHODS, "settles within 20 ms of an abort, even if a tool hangs"],
  [
    "@throws TypeError or ConfigError for an argument of the wrong form",
    LOOP,
    "an argument of the wrong form throws: %s",
  ],
  ["a level of `reasoning` that does not exist", LOOP, "an argument of the wrong form throws: %s"],
  ["and tools that could not run", MISTAKES, "is rejected where it is passed"],
  ["whose last message is not from the assistant", LOOP, "is possible after a message of the application's own"],
  ["or is an interrupted response", SERVER_TOOLS, "agentLoopContinue does not refuse it"],
  ["@throws AgentStateError `Cannot continue: no messages in context`", LOOP, "is refused: $text"],
  ["or when the conversation waits for answers and has none", METHODS, "is needed before the conversation can go on"],
  [
    "passes events to `emit` and waits for the promise that it returns",
    LOOP,
    "waits for what emit returns, except after an abort",
  ],
  ["Resolves with the new messages", LOOP, "is not touched, whatever the run does"],
  [
    "Rejects with the error of a hook, the stream function or `emit`, and emits nothing afterwards",
    SEQUENCES,
    "$title: runAgentLoop rejects and emits nothing more",
  ],
  [
    "the stream function or `emit`",
    LOOP,
    "a sink that $title ends the run, at whatever event, and is told nothing more",
  ],
  ["rejects where the former throws", LOOP, "is refused: $text"],
  ["the time of the run, which checks them when it has begun", MISTAKES, "of a message with the content %j"],
  [
    "Errors propagate to the caller, and nothing is emitted afterwards",
    SEQUENCES,
    "$title: runAgentLoop rejects and emits nothing more",
  ],
  [
    "the run ends with an error message that keeps the streamed content",
    LOOP,
    "ends a run that fails, with what was streamed so far",
  ],
  [
    "An error of a durable run's engine propagates instead",
    DURABLE,
    "at step %i stops the run and is rethrown unchanged",
  ],
  [
    "An error at the last event is too late for the transcript",
    STATEMENTS,
    "what middleware throws when the run has ended goes to onListenerError",
  ],
  ["leaves no listener behind", LOOP, "removes its listeners from the signal"],
];
