/**
 * The loop: deliver messages, request a response, run its tools, and repeat until nothing is left to do. It knows no feature:
 * what is optional is middleware, and what another process must not repeat goes through `run.steps`. In a run that nothing
 * stores, a step only calls the functions that it gets: see `direct-steps.ts`. docs/architecture.md lists every event and hook between two
 * requests, in their order.
 */
import type { AssistantMessage } from "pi-ai";
import { isFailure, isInterrupted } from "pi-ai/call";
import { assertMessage, checkReturned } from "../checks.js";
import { RunStopped } from "../errors.js";
import {
  allTerminate,
  callsToRun,
  findPausedResponse,
  findToolCalls,
  hasMessageSincePause,
  planResume,
  type RecordedResult,
  type ResumePlan,
} from "../pause/index.js";
import type { ShouldStopAfterTurnContext } from "../types/hooks.js";
import type { AgentMessage, AgentToolCall } from "../types/message.js";
import type { FinishedTurn, TurnDecision } from "../types/middleware.js";
import type { PolledQueue } from "../types/run-steps.js";
import type { AgentRun } from "./agent-run.js";
import { closeResponse, streamAssistantResponse } from "./response.js";
import { toStepRun } from "./step-run.js";
import { loadValidation } from "./tool-arguments.js";
import { closeToolCalls, executeToolCalls, resultsOf, type SettledCall } from "./tool-batch.js";

/**
 * Runs turns from `agent_start` to `agent_end`. Errors of hooks and of the stream function propagate at once. What fails where a
 * turn must go on is kept until the transcript is whole. The reasons for which a run ends, or goes on:
 *
 * | word        | who says it                       | the run                                                        |
 * | ----------- | --------------------------------- | -------------------------------------------------------------- |
 * | `terminate` | all results of a response         | needs no response; queued messages begin another turn          |
 * | `done`      | a decision after a turn           | the same                                                       |
 * | `demand`    | a decision                        | goes on, even if it would end                                  |
 * | `end`       | a decision, `shouldStopAfterTurn` | ends as it is; queued messages stay queued                     |
 * | `stop`      | a decision, a refused request     | ends with an error message if it would go on: a limit          |
 * | `maxTurns`  | the setting                       | the same, without `run_stopped`                                |
 * | `pause`     | calls that wait for people        | ends, and a later run goes on with the answers                 |
 * | abort       | the signal                        | reads no queue; the next response is an aborted message        |
 * | failed      | a response: `error`, `aborted`    | ends as it is: nothing is asked                                |
 * | failure     | `begin`, `onEvent` or `now`       | ends with an error message at the next `throwFailure`          |
 */
export async function runLoop(run: AgentRun, prompts: readonly AgentMessage[]): Promise<void> {
  let turn = await runFirstTurn(run, prompts);
  while (!run.ending.pause) {
    // The message says already that the run has failed.
    if (isFailure(turn.message.stopReason)) return endRun(run);
    const decision = await askAfterTurn(run, turn);
    if (decision.end) break;
    const limit = applyLimits(run, decision);
    if (limit) {
      if (!needsTurn(turn, decision)) break;
      await closeTurn(run, limit);
      return endRun(run);
    }
    const next = await takeNext(run, turn, decision);
    if (!next) break;
    turn = await runTurn(run, next);
  }
  run.ending.throwFailure();
  await endRun(run);
}

/** One response and the tools that it calls. */
async function runTurn(run: AgentRun, messages: readonly AgentMessage[]): Promise<FinishedTurn> {
  const { transcript, ending } = run;
  await run.beginTurn();
  // Queued messages that are not delivered because of an abort go back to the queues of the agent.
  for (const message of messages) if (!run.gate.aborted) await transcript.deliver(message);
  ending.throwFailure();
  const message = await streamAssistantResponse(run);
  const calls = isFailure(message.stopReason) ? [] : findToolCalls(message);
  const settled = calls.length > 0 ? await executeToolCalls(run, calls, { assistantMessage: message }) : [];
  if (settled.some((call) => !call.message)) ending.pauseFor(transcript.context.messages);
  return finishTurn(run, message, { calls, settled });
}

/** Ends a turn with a response and the results of its calls. */
async function finishTurn(
  run: AgentRun,
  message: AssistantMessage,
  { calls, settled }: { calls: readonly AgentToolCall[]; settled: readonly SettledCall[] },
): Promise<FinishedTurn> {
  const toolResults = resultsOf(settled);
  await run.endTurn(message, toolResults);
  const repeats = run.ending.rounds.add(calls, toolResults, run.transcript.context.tools);
  return {
    message,
    toolResults,
    rejectedCalls: settled.filter(({ isRejected }) => isRejected).map(({ id }) => id),
    // All results must ask for the end of the run. An interrupted response goes on.
    needsResponse: settled.length > 0 ? !toolResults.every(({ terminate }) => terminate) : isInterrupted(message),
    repeats,
  };
}

/** Asks all middleware, then `prepareNextTurn` and `shouldStopAfterTurn`, what follows from a turn, and applies their updates. */
async function askAfterTurn(run: AgentRun, turn: FinishedTurn): Promise<TurnDecision> {
  const { gate, steps, transcript } = run;
  const { prepareNextTurn, shouldStopAfterTurn } = run.settings.config;
  const context = (): ShouldStopAfterTurnContext => ({
    message: turn.message,
    toolResults: turn.toolResults.slice(),
    context: transcript.context,
    newMessages: transcript.newMessages,
  });
  // The hooks of middleware are steps already where they have to be: see `withSteps`, middleware/run/begin.ts.
  const decision = (await run.middleware.afterTurn?.(turn)) || {};
  if (decision.update) run.update(decision.update);
  if (prepareNextTurn) {
    const prepare = async (): Promise<TurnDecision | undefined> => {
      const update = await gate.waitUnlessAborted(() => prepareNextTurn(context(), gate.signal));
      checkReturned("prepareNextTurn", update);
      return update ? { update } : undefined;
    };
    const prepared = await steps.decide("prepareNextTurn", prepare);
    if (prepared?.update) run.update(prepared.update);
  }
  if (!shouldStopAfterTurn) return decision;
  const ask = async (): Promise<TurnDecision> => ({
    end: Boolean(await gate.waitUnlessAborted(() => shouldStopAfterTurn(context()))),
  });
  const asked = await steps.decide("shouldStopAfterTurn", ask);
  return asked?.end ? { ...decision, end: true } : decision;
}

/**
 * Keeps the limit of a decision, so that the end of the run names it. Returns the error of a limit after which no further turn may
 * begin. `maxRepeats` is a decision, too: see `limitRepeats`.
 */
function applyLimits({ settings, ending }: AgentRun, { stop }: TurnDecision): Error | undefined {
  if (stop) ending.stopBecause(stop);
  if (ending.stop) return new RunStopped(ending.stop);
  const { maxTurns } = settings.config;
  const { responses } = ending;
  if (!maxTurns || responses < maxTurns) return undefined;
  const used = `${responses} ${responses === 1 ? "turn" : "turns"}`;
  return new Error(`The run was ended after ${used}, the limit set by maxTurns`);
}

/** Whether the run goes on even if no message is queued. */
function needsTurn({ needsResponse }: FinishedTurn, { done, demand }: TurnDecision): boolean {
  return (needsResponse && !done) || Boolean(demand);
}

/**
 * Returns the messages for the next turn, perhaps none; undefined if there is no next turn. Follow-ups are taken only if the run
 * would end.
 */
async function takeNext(
  run: AgentRun,
  turn: FinishedTurn,
  decision: TurnDecision,
): Promise<readonly AgentMessage[] | undefined> {
  const isNeeded = needsTurn(turn, decision);
  // No message may come before the continuation of an interrupted response.
  if (isInterrupted(turn.message)) return isNeeded ? [] : undefined;
  let queued = await poll(run, "steering");
  if (queued.length === 0 && !isNeeded) queued = await poll(run, "follow-up");
  if (queued.length === 0 && !isNeeded) return undefined;
  if (queued.length > 0) run.middleware.beforeMessages?.(queued);
  return [...(decision.messages ?? []), ...queued];
}

/** Takes messages from a queue. */
async function poll(
  { settings: { config }, gate, steps }: AgentRun,
  queue: PolledQueue,
): Promise<readonly AgentMessage[]> {
  const ask = queue === "steering" ? config.getSteeringMessages : config.getFollowUpMessages;
  return steps.poll(queue, async () => (ask ? await gate.waitUnlessAborted(ask) : undefined) ?? []);
}

// --- The first turn: the prompts, and the calls that a pause has left.

/**
 * Delivers the prompts and what was steered, then runs a turn. After a pause, the answered calls run before; no request follows if
 * calls wait again, or if all ask for the end of the run.
 */
async function runFirstTurn(run: AgentRun, prompts: readonly AgentMessage[]): Promise<FinishedTurn> {
  const { transcript } = run;
  const plan = await beginRun(run, prompts);
  const resumed = plan && (await resumeTurn(run, plan));
  await transcript.deliverPrompts();
  if (resumed?.finished) return resumed.finished;
  const queued = isInterrupted(transcript.context.messages.at(-1)) ? [] : await poll(run, "steering");
  const turn = await runTurn(run, queued);
  return resumed ? { ...turn, resumedResults: resumed.results } : turn;
}

/** Emits `agent_start` and the first `turn_start`, keeps the prompts, and plans how a conversation that has paused goes on. */
async function beginRun(run: AgentRun, prompts: readonly AgentMessage[]): Promise<ResumePlan | undefined> {
  const { steps, transcript } = run;
  // So that the first tool call does not wait. A failure surfaces when a tool is called.
  if (transcript.context.tools?.length) loadValidation().catch(() => {});
  // Stored steps begin before the first event, which says whether they are repeated. Any other run emits it at once.
  const delivered = steps.stores ? await steps.begin(prompts, toStepRun(run)) : prompts;
  const hasNewMessage = hasMessageSincePause(transcript.context.messages, delivered.length > 0);
  await run.emit({ type: "agent_start", ...(hasNewMessage && { newMessage: true }) });
  await run.beginTurn();
  const { onNewMessage } = run.settings.config;
  const plan = planResume(transcript.context.messages, { now: run.now(), onNewMessage, hasNewMessage });
  for (const [index, prompt] of delivered.entries()) assertMessage(prompt, `prompts[${index}]`);
  transcript.keepPrompts(delivered);
  // Such as middleware that could not begin: no call that was approved may run then.
  run.ending.throwFailure();
  return plan;
}

interface ResumedTurn {
  /** The results of the calls that ran. */
  results: RecordedResult[];
  /** Absent if a request follows. */
  finished?: FinishedTurn;
}

/**
 * Runs the answered calls of a response that paused, before the first request. The turn needs no request if others still wait, or if
 * all of its calls ask for the end of the run and the user has said nothing more.
 */
async function resumeTurn(run: AgentRun, plan: ResumePlan): Promise<ResumedTurn> {
  const { transcript, ending, gate } = run;
  const { message, marks, pausedCalls, hasNewMessage } = plan;
  for (const mark of marks) await transcript.deliver(mark);
  const calls = callsToRun(plan);
  const settled = await executeToolCalls(run, calls, { assistantMessage: message, pausedCalls, hasNewMessage });
  const { messages } = transcript.context;
  const isWaiting = findPausedResponse(messages) !== undefined;
  const results = resultsOf(settled);
  const isDone = isWaiting || (!hasNewMessage && allTerminate(messages, message));
  // After an abort, the response that closes the run comes next.
  if (gate.aborted || !isDone) return { results };
  if (isWaiting) ending.pauseFor(messages);
  return { results, finished: await finishTurn(run, message, { calls, settled }) };
}

// --- The end.

/**
 * Ends a turn that failed, or that a limit refused, with an error message. What failed between two turns has a turn of its own.
 * Every call has its result then, and every prompt is in the conversation.
 */
export async function closeTurn(run: AgentRun, error: unknown): Promise<void> {
  await run.beginTurn();
  // Calls may be open that have not begun. No message of middleware comes between their results.
  run.transcript.holdResults();
  await closeToolCalls(run, error);
  await run.transcript.releaseResults();
  await run.transcript.deliverPrompts();
  const message = await closeResponse(run, error);
  await run.endTurn(message, []);
}

async function endRun(run: AgentRun): Promise<void> {
  const { stop, pause } = run.ending;
  if (stop) await run.emit({ type: "run_stopped", stop });
  run.steps.catchUp();
  run.sideUsage.endAll();
  const sideUsages = run.sideUsage.takeDue();
  await run.emitEnd({ ...(sideUsages.length > 0 && { sideUsages }), ...(pause && { pause }) });
}
