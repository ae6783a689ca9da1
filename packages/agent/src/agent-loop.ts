/**
 * The agent loop without an {@link Agent}: deliver messages, request a response, run its tools, and repeat until nothing is
 * left to do. It knows no feature: what is optional is middleware, and what another process must not repeat goes through
 * `run.steps`. docs/architecture.md lists every event and hook between two requests, in their order.
 */
import { type EventStream, isFailure, isPaused } from "pi-ai/call";
import { streamWithProviders } from "./apis/index.js";
import { assertTools } from "./check-tools.js";
import { assertMessage } from "./checks.js";
import { AgentStateError, RunStopped } from "./errors.js";
import { type AgentRun, directSteps, type LoopInput, withRun } from "./loop/agent-run.js";
import { closeResponse, streamAssistantResponse } from "./loop/response.js";
import { RunStream } from "./loop/run-stream.js";
import { executeToolCalls, findToolCalls, resumeToolCalls } from "./loop/tool-batch.js";
import { loadValidation } from "./loop/tool-call.js";
import { addOutput, beginMiddleware, endMiddleware } from "./middleware/run/index.js";
import { assertAnswered, findPausedResponse, isLeftBehind, pendingRequests } from "./pause/index.js";
import type { AgentContext } from "./types/agent-context.js";
import type { AgentLoopConfig } from "./types/config.js";
import type { AgentEvent, AgentEventSink } from "./types/event.js";
import type { ShouldStopAfterTurnContext, StreamFn } from "./types/hooks.js";
import type { AgentMessage } from "./types/message.js";
import type { FinishedTurn, TurnDecision } from "./types/middleware.js";
import type { PolledQueue } from "./types/run-steps.js";

/**
 * Adds prompts to a conversation and runs until the model has nothing left to do. The stream always ends: after an error
 * the run ends with an error message and `agent_end`, also if a setting is refused. The result of the stream is the list
 * of new messages.
 *
 * @param signal aborts the run; it settles within 20 ms
 * @param streamFn default: `streamSimple` of pi-ai
 */
export function agentLoop(
  prompts: AgentMessage[],
  context: AgentContext,
  config: AgentLoopConfig,
  signal?: AbortSignal,
  streamFn: StreamFn = streamWithProviders,
): EventStream<AgentEvent, AgentMessage[]> {
  return streamRun(prompts, { context, config, signal, streamFn });
}

/**
 * Runs without a new prompt on a conversation whose last message is not from the assistant, or is a response that paused.
 *
 * @throws AgentStateError `Cannot continue: no messages in context`, `Cannot continue from message role: assistant`
 */
export function agentLoopContinue(
  context: AgentContext,
  config: AgentLoopConfig,
  signal?: AbortSignal,
  streamFn: StreamFn = streamWithProviders,
): EventStream<AgentEvent, AgentMessage[]> {
  assertCanContinue(context, config);
  return streamRun([], { context, config, signal, streamFn });
}

/**
 * Like {@link agentLoop}, but passes events to `emit` and waits for the promise that it returns. Resolves with the new
 * messages. Rejects with the error of a hook, the stream function or `emit`, and emits nothing afterwards.
 */
export function runAgentLoop(
  prompts: AgentMessage[],
  context: AgentContext,
  config: AgentLoopConfig,
  emit: AgentEventSink,
  signal?: AbortSignal,
  streamFn: StreamFn = streamWithProviders,
): Promise<AgentMessage[]> {
  return withRun({ context, config, signal, streamFn }, emit, (run) => runToFailure(run, prompts));
}

/** Combines {@link agentLoopContinue} and {@link runAgentLoop}; rejects where the former throws. */
export async function runAgentLoopContinue(
  context: AgentContext,
  config: AgentLoopConfig,
  emit: AgentEventSink,
  signal?: AbortSignal,
  streamFn: StreamFn = streamWithProviders,
): Promise<AgentMessage[]> {
  assertCanContinue(context, config);
  return withRun({ context, config, signal, streamFn }, emit, (run) => runToFailure(run, []));
}

// --- The turn cycle.

type Messages = readonly AgentMessage[];

/** Runs turns from `agent_start` to `agent_end`. Errors of hooks and of the stream function propagate. */
async function runLoop(run: AgentRun, prompts: Messages): Promise<void> {
  let messages = await beginRun(run, prompts);
  for (let turns = 1; !run.pause; turns++) {
    const turn = await runTurn(run, messages);
    if (isFailure(turn.message.stopReason) || run.pause) break;
    const decision = await decide(run, turn);
    if (decision.end) break;
    const refusal = findRefusal(run, turns, decision);
    const next = await findNext(run, turn, { decision, refusal });
    if (!next) break;
    messages = next;
    await run.emit({ type: "turn_start" });
    if (refusal) {
      await closeTurn(run, refusal);
      break;
    }
  }
  await endRun(run);
}

/** Opens the first turn and returns the messages that were queued for it. */
async function beginRun(run: AgentRun, prompts: Messages): Promise<Messages> {
  // So that the first tool call does not wait. A failure surfaces when a tool is called.
  if (run.context.tools?.length) loadValidation().catch(() => {});
  let failure: { readonly error: unknown } | undefined;
  try {
    // Listeners see `agent_start` before `prompt` returns, so a plain run waits for nothing here.
    if (run.config.output) await addOutput(run);
    beginMiddleware(run);
  } catch (error) {
    // The run fails when its beginning was emitted.
    failure = { error };
  }
  // The steps of a durable run begin first, so that events say whether they are repeated.
  const delivered = run.steps === directSteps ? prompts : await run.steps.begin(prompts, run);
  const newMessage = isLeftBehind(run.context.messages, delivered.length > 0);
  await run.emit({ type: "agent_start", ...(newMessage && { newMessage }) });
  await run.emit({ type: "turn_start" });
  if (failure) throw failure.error;
  await resumeToolCalls(run, delivered.length > 0);
  for (const [index, prompt] of delivered.entries()) {
    assertMessage(prompt, `prompts[${index}]`);
    await run.deliver(prompt);
  }
  return run.pause || isPaused(run.context.messages.at(-1)) ? [] : poll(run, "steering");
}

/** One response and the tools that it calls. */
async function runTurn(run: AgentRun, messages: Messages): Promise<FinishedTurn> {
  // Messages that are not delivered because of an abort go back to their queue.
  for (const message of messages) if (!run.gate.aborted) await run.deliver(message);
  const message = await streamAssistantResponse(run);
  const toolCalls = isFailure(message.stopReason) ? [] : findToolCalls(message);
  // Hooks of tool calls see the conversation without the results of siblings.
  if (toolCalls.length > 0) run.holdResults();
  const batch = toolCalls.length > 0 ? await executeToolCalls(run, message, toolCalls) : undefined;
  await run.releaseResults();
  if (batch?.isPaused) run.pause = { requests: pendingRequests(run.context.messages) };
  const toolResults = batch?.messages ?? [];
  await run.emit({ type: "turn_end", message, toolResults });
  const { resumedResults } = run;
  run.resumedResults = undefined;
  return {
    message,
    toolResults,
    ...(resumedResults && { resumedResults }),
    rejectedCalls: batch?.rejectedCalls ?? [],
    needsResponse: batch ? !batch.terminate : isPaused(message),
    repeats: run.rounds.add(toolCalls, toolResults, run.context.tools),
  };
}

/** Asks all middleware, then `prepareNextTurn` and `shouldStopAfterTurn`, what follows from a turn. */
async function decide(run: AgentRun, turn: FinishedTurn): Promise<TurnDecision> {
  const { config, gate, steps } = run;
  const { prepareNextTurn, shouldStopAfterTurn } = config;
  const context = (): ShouldStopAfterTurnContext => ({
    message: turn.message,
    toolResults: turn.toolResults.slice(),
    context: run.context,
    newMessages: run.newMessages,
  });
  const decision = (await run.middleware.afterTurn?.(turn)) || {};
  if (decision.update) run.update(decision.update);
  if (prepareNextTurn) {
    const prepare = async (): Promise<TurnDecision | undefined> => {
      const update = await gate.waitUnlessAborted(() => prepareNextTurn(context(), gate.signal));
      return update ? { update } : undefined;
    };
    const prepared = await steps.decide("prepareNextTurn", prepare);
    if (prepared?.update) run.update(prepared.update);
  }
  if (!shouldStopAfterTurn) return decision;
  const stop = async (): Promise<TurnDecision> => ({
    end: Boolean(await gate.waitUnlessAborted(() => shouldStopAfterTurn(context()))),
  });
  const stopped = await steps.decide("shouldStopAfterTurn", stop);
  return stopped?.end ? { ...decision, end: true } : decision;
}

/** Returns the error of a limit that allows no further turn. */
function findRefusal(run: AgentRun, turns: number, { stop }: TurnDecision): Error | undefined {
  const { maxTurns } = run.config;
  if (maxTurns && turns >= maxTurns) {
    const used = `${turns} ${turns === 1 ? "turn" : "turns"}`;
    return new Error(`The run was ended after ${used}, the limit set by maxTurns`);
  }
  run.stop = stop ?? run.stop;
  return run.stop && new RunStopped(run.stop);
}

/** Returns the messages for the next turn, if there is one. Follow-ups are taken only if the run would end. */
async function findNext(
  run: AgentRun,
  turn: FinishedTurn,
  { decision, refusal }: { decision: TurnDecision; refusal: Error | undefined },
): Promise<Messages | undefined> {
  const isNeeded = (turn.needsResponse && !decision.done) || Boolean(decision.demand);
  // No message may come after the refusal of a limit, or before the continuation of a paused response.
  if (refusal || isPaused(turn.message)) return isNeeded ? [] : undefined;
  let queued = await poll(run, "steering");
  if (queued.length === 0 && !isNeeded) queued = await poll(run, "follow-up");
  if (queued.length === 0 && !isNeeded) return undefined;
  if (queued.length > 0) run.middleware.beforeMessages?.(queued);
  return [...(decision.messages ?? []), ...queued];
}

/** Takes messages from a queue. */
async function poll({ config, gate, steps }: AgentRun, queue: PolledQueue): Promise<Messages> {
  const ask = queue === "steering" ? config.getSteeringMessages : config.getFollowUpMessages;
  return steps.poll(queue, async () => (ask ? await gate.waitUnlessAborted(ask) : undefined) ?? []);
}

/** Ends a turn that failed, or that a limit refused, with an error message. */
async function closeTurn(run: AgentRun, error: unknown): Promise<void> {
  const message = await closeResponse(run, error);
  await run.emit({ type: "turn_end", message, toolResults: [] });
}

async function endRun(run: AgentRun): Promise<void> {
  if (run.stop) await run.emit({ type: "run_stopped", stop: run.stop });
  run.steps.catchUp();
  const sideUsages = run.side.takeUsages();
  await run.emit({
    type: "agent_end",
    messages: run.newMessages,
    ...(sideUsages.length > 0 && { sideUsages }),
    ...(run.pause && { pause: run.pause }),
  });
}

// --- How a run is executed: for a promise that rejects, for a transcript that always ends, for a stream.

/** Runs the loop. Errors propagate to the caller, and nothing is emitted afterwards. */
async function runToFailure(run: AgentRun, prompts: Messages): Promise<AgentMessage[]> {
  try {
    await runLoop(run, prompts);
  } finally {
    await endMiddleware(run);
  }
  return run.newMessages;
}

/**
 * Runs the loop. If it throws, the run ends with an error message that keeps the streamed content. An error of a durable
 * run's engine propagates instead, because the run may belong to another process now.
 */
export async function runToEnd(run: AgentRun, prompts: Messages): Promise<AgentMessage[]> {
  try {
    await runLoop(run, prompts);
  } catch (error) {
    const failure = run.steps.failure;
    if (failure) throw failure.error;
    await closeTurn(run, error);
    await run.emit({ type: "agent_end", messages: run.newMessages });
  } finally {
    await endMiddleware(run);
  }
  return run.newMessages;
}

function streamRun(prompts: AgentMessage[], input: LoopInput): EventStream<AgentEvent, AgentMessage[]> {
  assertTools(input.context?.tools);
  const stream = new RunStream();
  let began = false;
  const execute = (run: AgentRun): Promise<AgentMessage[]> => {
    began = true;
    return runToEnd(run, prompts);
  };
  const refuse = (error: unknown): void => {
    // Only the engine of a durable run fails after the beginning.
    if (!began) stream.refuse(error, input.config);
  };
  const ended = withRun(input, (event) => stream.take(event), execute);
  ended.catch(refuse).then(() => stream.finish());
  return stream;
}

function assertCanContinue({ messages }: AgentContext, { now = Date.now, onNewMessage }: AgentLoopConfig): void {
  const tail = messages.at(-1);
  assertAnswered(messages, { now: now(), onNewMessage });
  if (!tail) throw new AgentStateError("Cannot continue: no messages in context");
  if (tail.role === "assistant" && !isPaused(tail) && !findPausedResponse(messages))
    throw new AgentStateError("Cannot continue from message role: assistant");
}
