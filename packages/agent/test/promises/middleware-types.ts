/** What the docstrings of the types of middleware, and of the steps of a run, promise, in their order. */
import type { Place } from "./promise-row.ts";
import {
  ADDED_MESSAGES,
  AGENT_TOOL,
  AGENT_TREES,
  APPROVALS,
  CRASHES,
  DURABLE,
  DURABLE_NOTES,
  LATE,
  LATE_PAGES,
  LIMITS_CLOCK,
  LIMITS_GUARD,
  METHODS,
  MIDDLEWARE,
  MIDDLEWARE_STATEMENTS,
  PAUSE,
  PAUSED_RUN,
  REPEATS,
  REPLAY,
  REQUESTS,
  SEQUENCES,
  SESSION,
  SIGNATURE,
  SPENDING,
  TURN_ORDER,
  TYPE_STATEMENTS,
} from "./tests.ts";

const TYPES = "packages/agent/src/types";

export const MIDDLEWARE_TYPES: readonly Place[] = [
  {
    file: `${TYPES}/middleware.ts`,
    promises: [
      [
        "It holds no run, so several agents can share it",
        MIDDLEWARE,
        "a middleware may serve two agents at once, and the functions of the loop",
      ],
      [
        "that must come earlier in the list (`outside`) or later (`inside`), if they are in it",
        MIDDLEWARE,
        "names of middleware that is absent do not matter",
      ],
      ["The list is checked at the beginning of a run, never sorted", MIDDLEWARE, "ends the run with an error: %s"],
      [
        "Whether agents that the run's tools run have it, too",
        MIDDLEWARE,
        "agents of tools have what the list says they inherit, at any depth",
      ],
      [
        "A durable run then calls it again for a turn that it repeats, and stores nothing for it",
        DURABLE,
        "that is repeatable is asked again, and stores nothing",
      ],
      [
        "its decision, with the messages that it adds, is a step",
        DURABLE,
        "decides about a turn once, and what it adds is repeated",
      ],
      [
        "Whether forks of a run have it, too",
        MIDDLEWARE_STATEMENTS,
        "can be forked after its end, without those that are not in forks",
      ],
      [
        "and rejects with an `AnswerError` if the answer must not count",
        SIGNATURE,
        "is refused in another conversation",
      ],
      [
        "Only the agent's own middleware is asked, not what a run inherits",
        TYPE_STATEMENTS,
        "what a child inherits does not store what the child has queued",
      ],
      [
        "Begins a run. An error ends the run with an error message",
        MIDDLEWARE,
        "those that have begun see the failure and the end of a run in which a later one cannot begin",
      ],
      [
        "None is called for a delta of a response",
        MIDDLEWARE,
        "deltas, also those of children, go to those who ask for them, and to no hook",
      ],
      [
        "An error in one ends the run with an error message",
        MIDDLEWARE_STATEMENTS,
        "in $title ends the run with an error message",
      ],
      [
        "where it becomes the result of the call",
        MIDDLEWARE_STATEMENTS,
        "in $title is the result of each call, and the run goes on",
      ],
      [
        "and in `end`, which is too late for one",
        MIDDLEWARE_STATEMENTS,
        "in end does not change the run, and is thrown when all were called",
      ],
      [
        "in the order of the list, before `transformContext`",
        REQUESTS,
        "beforeRequest comes before transformContext, in the order of the list, and may add messages",
      ],
      [
        "A durable run stores the messages that it adds, and does not call it again",
        DURABLE,
        "takes steps with effects, whose messages are repeated",
      ],
      [
        "In the order of the list; the application's own hook comes last",
        MIDDLEWARE,
        "the first in the list is the outermost, and the application frames the list",
      ],
      [
        "Changes a request that is about to be sent, after `convertToLlm`",
        TURN_ORDER,
        "the order of events and hooks between two requests is the listed one",
      ],
      [
        "Surrounds a request and its response. The first in the list is the outermost",
        MIDDLEWARE,
        "the first in the list is the outermost",
      ],
      [
        "it does not see what these refuse or answer themselves",
        MIDDLEWARE,
        "wrapSend is inside of all other hooks around a request, and sees only what is sent",
      ],
      [
        "and sees each request that they repeat. The first in the list is the outermost",
        MIDDLEWARE_STATEMENTS,
        "wrapSend is called with the first of the list outermost",
      ],
      [
        "Called with the response of a turn that has no content",
        REQUESTS,
        "a response with content, and one that a hook has replaced, need no recovery",
      ],
      [
        "built again and sent once more through all hooks",
        REQUESTS,
        "a request without content is built and sent again through all hooks",
      ],
      [
        "In the order of the list, until one says so",
        MIDDLEWARE_STATEMENTS,
        "the first hook that blocks a call decides, and recovery is asked for until one says so",
      ],
      [
        "The other middleware's hooks of tool calls do not see them",
        MIDDLEWARE,
        "a tool of a middleware is run, and the hooks of others do not see it",
      ],
      [
        "all at once, before any of them has an effect",
        APPROVALS,
        "asks the application before any tool of a response runs",
      ],
      ["in a sequential batch, about each call alone", APPROVALS, "asks one by one in a sequential batch"],
      ["with the calls that are not blocked yet", APPROVALS, "does not ask about a call that beforeToolCall blocks"],
      [
        "Called after {@link RunHooks.beforeToolCall}, in the order of the list",
        APPROVALS,
        "two guards decide one after the other, and the first veto counts",
      ],
      [
        "An error becomes the result of each of them",
        MIDDLEWARE_STATEMENTS,
        "in $title is the result of each call, and the run goes on",
      ],
      [
        "@returns one verdict for each call, in their order; undefined lets a call run",
        APPROVALS,
        "asks the application before any tool of a response runs",
      ],
      [
        "returns those that the transcript keeps, such as with a signature. In the order of the list",
        MIDDLEWARE_STATEMENTS,
        "beforePause may change a request, in the order of the list, and gets the call and its tool",
      ],
      [
        "The tool of the call, what precedes the ids of its requests, what it keeps to go on, and what it has asked before",
        SIGNATURE,
        "cannot change what it has answered before the tool asked again",
      ],
      [
        "Called before a tool runs, in the order of the list. The first one that blocks decides",
        MIDDLEWARE_STATEMENTS,
        "the first hook that blocks a call decides",
      ],
      [
        "Surrounds a tool. The first in the list is the outermost",
        MIDDLEWARE,
        "the first in the list is the outermost",
      ],
      [
        "so that the first in the list has the last word on the result",
        MIDDLEWARE,
        "the first in the list is the outermost",
      ],
      [
        "Decides what follows from a turn that did not fail and waits for no answers",
        MIDDLEWARE_STATEMENTS,
        "afterTurn is not asked about a turn that failed or waits for answers",
      ],
      ["In the order of the list; the decisions are merged", MIDDLEWARE, "are merged: one end is enough"],
      [
        "Receives the queued messages that come before the next turn",
        MIDDLEWARE_STATEMENTS,
        "beforeMessages receives the queued messages of the next turn",
      ],
      [
        "Receives a response that an earlier process of a durable run requested",
        SPENDING,
        "what a durable run has paid before it is repeated",
      ],
      [
        "What was sent before that is in its usage and in its diagnostic `side_requests`",
        REQUESTS,
        "without a recovery the failure is the response, and what was sent before counts",
      ],
      [
        "has stored, before other work goes on",
        AGENT_TREES,
        "the last process has counted what was paid, wherever the ones before it died",
      ],
      [
        "Receives every event of the run but deltas",
        MIDDLEWARE,
        "events reach a middleware after the listeners, without deltas",
      ],
      [
        "after the agent's state has changed. The run waits for it",
        MIDDLEWARE_STATEMENTS,
        "onEvent is called when the state has changed, and the run waits for it",
      ],
      [
        "Called once, when the run has ended in any way, in reverse order",
        MIDDLEWARE,
        "the hook `end` is called however the run ends, and gets its outcome",
      ],
      [
        "The decision about a call before its tool runs",
        APPROVALS,
        "asks the application before any tool of a response runs",
      ],
      [
        "The run ends when the other calls have ended",
        PAUSE,
        "runs the other calls, and has the requests in agent_end",
      ],
      [
        "The results of its tool calls, in their order",
        SEQUENCES,
        "parallel tool calls end in the order of completion",
      ],
      [
        "the results of the calls that ran before the response",
        MIDDLEWARE_STATEMENTS,
        "afterTurn is not asked about a turn that failed or waits for answers, and sees what a later one resumed",
      ],
      [
        "Whether the model has to see the results, or has to continue an interrupted response",
        MIDDLEWARE_STATEMENTS,
        "afterTurn is not asked about a turn",
      ],
      [
        "0 without calls, and with a tool that `polls`. Queued messages begin the count anew",
        REPEATS,
        "a tool that polls begins the count anew",
      ],
      [
        "How many rounds in a row had the same calls, in any order, with the same results",
        REPEATS,
        "parallel calls count as the same round in any order, but not with exchanged results",
      ],
      ["The ids of its calls that were wrong", MIDDLEWARE_STATEMENTS, "afterTurn is not asked about a turn"],
      ["Ends the run as it is; queued messages stay queued", MIDDLEWARE_STATEMENTS, "to end leaves the queues alone"],
      ["One middleware that says so is enough", MIDDLEWARE, "are merged: one end is enough"],
      [
        "with an error message if it would go on",
        MIDDLEWARE_STATEMENTS,
        "to stop $title is its reason, and an error only if it would go on",
      ],
      ["The outermost one is the reason", MIDDLEWARE, "the outermost stop is the reason"],
      [
        "the run goes on for queued messages only",
        MIDDLEWARE_STATEMENTS,
        "that the model need not see the results lets the run go on for queued messages only",
      ],
      [
        "Those of all middleware are joined, in the order of the list",
        MIDDLEWARE,
        "messages are joined in order, and go on only on demand",
      ],
      ["a later field replaces an earlier one", MIDDLEWARE, "updates are merged, and apply to the next request"],
      [
        "The run has not ended then: another process may continue it",
        DURABLE,
        "at step %i stops the run and is rethrown unchanged",
      ],
      [
        "The same object for all of its middleware",
        MIDDLEWARE_STATEMENTS,
        "has one root for all of its middleware, and one owner for all runs of an agent",
      ],
      [
        "the same object for all of its runs",
        MIDDLEWARE_STATEMENTS,
        "has one root for all of its middleware, and one owner",
      ],
      [
        "The `root` of the run whose tool runs this agent",
        MIDDLEWARE,
        "agents of tools have what the list says they inherit, at any depth",
      ],
      [
        "Aborted when the run is",
        MIDDLEWARE_STATEMENTS,
        "knows the model of the next request, and is aborted with the run",
      ],
      ["The model of the next request", MIDDLEWARE_STATEMENTS, "knows the model of the next request"],
      ["The level of thinking of the next request", MIDDLEWARE_STATEMENTS, "knows the model of the next request"],
      [
        "The names of all middleware of the run, in their order",
        MIDDLEWARE_STATEMENTS,
        "has one root for all of its middleware",
      ],
      [
        "Whether a durable run repeats what an earlier process did",
        REPLAY,
        "the events that repeat those of an earlier process are marked",
      ],
      [
        "Whether {@link MiddlewareRun.add} may be called now",
        REQUESTS,
        "a message cannot be added while a response is open, and after the run",
      ],
      [
        "False before the first `turn_start`",
        ADDED_MESSAGES,
        "at %s it is refused: no message comes before or after all turns",
      ],
      [
        "while a response is open, because a message must not come between its start and its end",
        REQUESTS,
        "a message cannot be added while a response is open, and after the run",
      ],
      [
        "which stores only the response and the results",
        DURABLE,
        "are refused while tools run: their steps store only the results",
      ],
      ["and from `agent_end` on", REQUESTS, "a message cannot be added while a response is open, and after the run"],
      [
        "Whether the run must end with a typed output",
        AGENT_TOOL,
        "whether a child gets a last response depends on its own output: %s",
      ],
      ["Aborts the run", MIDDLEWARE, "a middleware can abort the run, of an agent and of the functions of the loop"],
      [
        "Calls a function with each delta of the run",
        MIDDLEWARE,
        "deltas, also those of children, go to those who ask for them",
      ],
      [
        "The run does not wait for it. It must be fast",
        MIDDLEWARE_STATEMENTS,
        "does not wait for those who hear of deltas",
      ],
      ["the agent begins them by itself, for messages", LATE_PAGES, "is published under the id of the run before"],
      ["`prompt()` waits for it", LATE_PAGES, "is published under the id of the run before"],
      [
        "In a durable run, that of the latest step",
        LIMITS_CLOCK,
        "a process whose clock is behind goes on from the time of the last step",
      ],
      [
        "in a durable run, in its first process",
        LIMITS_CLOCK,
        "a process that continues a run counts the time since the run began",
      ],
      [
        "Emits an event. Returns a promise only if there is something to wait for",
        LIMITS_GUARD,
        "a turn without an event needs no promise",
      ],
      ["it comes after the results of all of them", DURABLE, "come after the results of all calls, in each process"],
      [
        "One that is added between two turns, such as at `turn_end` or in `afterTurn`, is shown there, before the next `turn_start` or `agent_end`",
        ADDED_MESSAGES,
        "after each turn, also after the last one",
      ],
      [
        "The `origin` of a message with the role `user` is the name of the middleware",
        MIDDLEWARE,
        "what a middleware adds says by whom",
      ],
      [
        "A durable run stores what is added in a step",
        DURABLE,
        "takes steps with effects, whose messages are repeated",
      ],
      [
        "@throws Error if {@link MiddlewareRun.canAdd} is false",
        REQUESTS,
        "a message cannot be added while a response is open, and after the run",
      ],
      [
        "Builds the request of this turn again, through all hooks",
        MIDDLEWARE_STATEMENTS,
        "can build the request of a turn again, through all hooks",
      ],
      [
        "Passes messages through the `transformContext` of all others, and `convertToLlm`",
        REQUESTS,
        "toLlm passes messages through the hooks of all others only",
      ],
      [
        "Sends a request beside the conversation, through the `wrapModelCall` of all others",
        MIDDLEWARE,
        "a side request passes through the others, counts, and emits nothing",
      ],
      ["It emits nothing", MIDDLEWARE, "a side request passes through the others, counts, and emits nothing"],
      ["as the diagnostic `side_requests`, which `sumUsage` counts", SPENDING, "summaries"],
      [
        "Rejects if a limit refuses it",
        SPENDING,
        "a budget refuses a summary that does not fit, and the run ends with the budget",
      ],
      [
        "Repeats requests and tool calls of the run beside it, also after its end",
        MIDDLEWARE_STATEMENTS,
        "can be forked after its end",
      ],
      [
        "The run does not see it",
        MIDDLEWARE_STATEMENTS,
        "can be forked after its end, without those that are not in forks, and sees nothing of it",
      ],
      [
        "without a copy. Read only: the array grows later",
        LIMITS_GUARD,
        "the estimate of a request does not copy the conversation",
      ],
      [
        "The part of a response that had arrived when `send` rejected with this error",
        SPENDING,
        "retries, and what a hook asks before it throws",
      ],
      [
        "a durable run that is repeated returns the stored value",
        DURABLE,
        "takes steps with effects, whose messages are repeated",
      ],
      ["Other runs do it at once", MIDDLEWARE_STATEMENTS, "does work of a step at once where nothing stores it"],
      [
        "receives an id of the step that is unique in the run",
        MIDDLEWARE_STATEMENTS,
        "does work of a step at once where nothing stores it",
      ],
      [
        "under this name: the first one counts",
        DURABLE,
        "are requested before any tool runs, and answered in any order",
      ],
      [
        "Absent if the run has no engine that can wait",
        MIDDLEWARE_STATEMENTS,
        "does work of a step at once where nothing stores it",
      ],
      [
        "Rejects with what a hook or the stream function throws",
        MIDDLEWARE_STATEMENTS,
        "a fork rejects with what a hook throws, and shows an error of a tool as its outcome",
      ],
      [
        "Runs a tool call with all hooks. An error becomes its outcome",
        MIDDLEWARE_STATEMENTS,
        "a fork rejects with what a hook throws",
      ],
      ["Called with the response so far each time that it grows", MIDDLEWARE_STATEMENTS, "can be forked after its end"],
    ],
    others: [
      "The conversation, the system prompt and the tools. Read only",
      "Checks a request that is about to be answered",
      "The call waits for an answer to this request",
    ],
  },
  {
    file: `${TYPES}/run-steps.ts`,
    promises: [
      [
        "and puts back the records of calls that its results have replaced",
        PAUSED_RUN,
        "puts the record of a call back that its result has replaced, and repeats the run",
      ],
      ["the run does each step at once", SEQUENCES, "one tool call"],
      [
        "Adds the message of the role `system` that says what has changed since the request before",
        DURABLE_NOTES,
        "a durable run that dies anywhere ends with the transcript of one that never died",
      ],
      [
        "work that another process has finished is not repeated",
        CRASHES,
        "ends the same wherever a process dies, runs no unsafe tool twice, and pays no complete response twice",
      ],
      ["Methods reject when the engine fails", DURABLE, "at step %i stops the run and is rethrown unchanged"],
      [
        "The run stops without another step and rejects with it",
        DURABLE,
        "at step %i stops the run and is rethrown unchanged",
      ],
      [
        "store only the response and the outcomes. No message may be added then",
        DURABLE,
        "are refused while tools run: their steps store only the results",
      ],
      [
        "the same in each process that repeats the run",
        LIMITS_CLOCK,
        "a process that continues a run counts the time since the run began, and one that repeats it comes to the same",
      ],
      ["It does not go back when the time of a system is set", LIMITS_CLOCK, "nor in a durable run: %i ms"],
      [
        "Rejects if another model, system prompt or prompt began it",
        DURABLE,
        "fails when another %s began the run, unless that is allowed",
      ],
      [
        "Those of a sequential batch come one after the other",
        SEQUENCES,
        "sequential tool calls end and get their results one by one",
      ],
      [
        "it is not called if the tool may have run in a process that died",
        PAUSE,
        "a call that may have run when its process died does not run again, unless it is safe",
      ],
      [
        "The key of a call: its id, with a number if the run repeats the id",
        DURABLE,
        "assign each tool call its own key, for any ids that the model chooses",
      ],
    ],
    others: [
      "is the same until a hook replaces it",
      "or at least what it used",
      "Waits for a value that another process sends",
      "before the run does something new",
    ],
  },
  {
    file: `${TYPES}/parent-run.ts`,
    promises: [
      [
        "Throws or rejects if the run's event sink does",
        TYPE_STATEMENTS,
        "an error of the event sink reaches the tool that emits, and ends the run",
      ],
      ["for as long as for a listener after an abort", SPENDING, "children of calls that end by %s"],
      ["If a hook drops these, the run counts it", AGENT_TOOL, "usage adds up if a hook %s"],
    ],
    others: [],
  },
  {
    file: `${TYPES}/queue.ts`,
    promises: [
      ["it waits for the next turn, or for the end of the run, or is refused", LATE, "is answered in a run of its own"],
      [
        "Resolves when the run is over, or when the message is queued",
        METHODS,
        "send resolves when the run is over, or as soon as the message is queued",
      ],
      ["and stored if the agent has an open session", SESSION, "are there after a restart, and are answered once"],
      [
        "A message that reaches the conversation has left its queue",
        SESSION,
        "are there after a restart, and are answered once",
      ],
      [
        "later calls return none, so that one agent answers them",
        SESSION,
        "are there after a restart, and are answered once",
      ],
    ],
    others: [
      "Messages that wait for a turn",
      "Drops what waits in a queue",
      "Which queue a message waits in",
      "A message that waits for a turn",
      "or a conversation that waits for answers",
      "Resolves when it is stored; never rejects",
    ],
  },
];
