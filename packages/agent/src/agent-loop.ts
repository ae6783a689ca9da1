/** The agent loop without an {@link Agent}: its functions, and how a run is executed: for a promise, an agent or a stream. The loop itself is `loop/run-loop.ts`. */
import { anySignal, type EventStream, isInterrupted } from "pi-ai/call";
import { AbortGate } from "./abort-gate.js";
import { streamWithProviders } from "./apis/index.js";
import { assertArguments } from "./check-arguments.js";
import { mustBeFunction, withTime } from "./checks.js";
import { AgentStateError } from "./errors.js";
import { AgentRun, closeTurn, runLoop } from "./loop/index.js";
import { beginMiddleware, endMiddleware, loadOutput } from "./middleware/run/index.js";
import { assertAnswered, findPausedResponse } from "./pause/index.js";
import { RunStream } from "./run-stream.js";
import type { AgentContext } from "./types/agent-context.js";
import type { AgentLoopConfig } from "./types/config.js";
import type { AgentEvent, AgentEventSink } from "./types/event.js";
import type { StreamFn } from "./types/hooks.js";
import type { AgentMessage, AgentMessageInput } from "./types/message.js";

const NOTHING_TO_CONTINUE =
  "Cannot continue from message role: assistant. Say more with agentLoop([message], context, config), which takes a new message.";

/**
 * Adds prompts to a conversation and runs until the model has nothing left to do. The stream always ends: after an error
 * the run ends with an error message and `agent_end`, also if a setting is refused; only a durable run whose engine fails has no
 * `agent_end`. The result of the stream is the list of new messages.
 *
 * @param prompts a message without a timestamp gets the time at which the run begins
 * @param signal aborts the run; it settles within 20 ms
 * @param streamFn default: `streamSimple` of pi-ai
 * @throws TypeError or ConfigError for an argument of the wrong form, a level of `reasoning` that does not exist, and tools that
 * could not run
 */
export function agentLoop(
  prompts: readonly AgentMessageInput[],
  context: AgentContext,
  config: AgentLoopConfig,
  signal?: AbortSignal,
  streamFn: StreamFn = streamWithProviders,
): EventStream<AgentEvent, AgentMessage[]> {
  assertArguments({ prompts, context, config, signal, streamFn });
  return streamRun(prompts, { context, config, signal, streamFn });
}

/**
 * Runs without a new prompt on a conversation whose last message is not from the assistant, or is an interrupted response.
 *
 * @throws AgentStateError `Cannot continue: no messages in context`, `Cannot continue from message role: assistant`, or when the
 * conversation waits for answers and has none
 */
export function agentLoopContinue(
  context: AgentContext,
  config: AgentLoopConfig,
  signal?: AbortSignal,
  streamFn: StreamFn = streamWithProviders,
): EventStream<AgentEvent, AgentMessage[]> {
  assertArguments({ context, config, signal, streamFn });
  assertCanContinue(context, config);
  return streamRun([], { context, config, signal, streamFn });
}

/**
 * Like {@link agentLoop}, but passes events to `emit` and waits for the promise that it returns. Resolves with the new
 * messages. Rejects with the error of a hook, the stream function or `emit`, and emits nothing afterwards; and where `agentLoop` throws.
 */
export async function runAgentLoop(
  prompts: readonly AgentMessageInput[],
  context: AgentContext,
  config: AgentLoopConfig,
  emit: AgentEventSink,
  signal?: AbortSignal,
  streamFn: StreamFn = streamWithProviders,
): Promise<AgentMessage[]> {
  assertArguments({ prompts, context, config, signal, streamFn });
  mustBeFunction("The argument emit", emit);
  return withRun({ context, config, signal, streamFn }, emit, (run) => runOrReject(run, withTimes(prompts, run)));
}

/** Combines {@link agentLoopContinue} and {@link runAgentLoop}; rejects where the former throws. */
export async function runAgentLoopContinue(
  context: AgentContext,
  config: AgentLoopConfig,
  emit: AgentEventSink,
  signal?: AbortSignal,
  streamFn: StreamFn = streamWithProviders,
): Promise<AgentMessage[]> {
  assertArguments({ context, config, signal, streamFn });
  mustBeFunction("The argument emit", emit);
  assertCanContinue(context, config);
  return withRun({ context, config, signal, streamFn }, emit, (run) => runOrReject(run, []));
}

// --- How a run is executed: for a promise that rejects, for an agent, whose transcript always ends, for a stream.

/** Gives prompts without a timestamp the time of the run, which checks them when it has begun. */
function withTimes(prompts: readonly AgentMessageInput[], run: AgentRun): readonly AgentMessage[] {
  return prompts.map((prompt) => withTime(prompt, () => run.now()));
}

/** Begins the middleware of a run, and runs the loop. */
async function beginAndRun(run: AgentRun, prompts: readonly AgentMessage[]): Promise<void> {
  try {
    // Listeners see `agent_start` before `prompt` returns, so a plain run waits for nothing here.
    beginMiddleware(run, run.settings.config.output && (await loadOutput(run)));
  } catch (error) {
    run.ending.keepFailure(error);
  }
  await runLoop(run, prompts);
}

/** Runs the loop. Errors propagate to the caller, and nothing is emitted afterwards. */
async function runOrReject(run: AgentRun, prompts: readonly AgentMessage[]): Promise<AgentMessage[]> {
  try {
    await beginAndRun(run, prompts);
  } finally {
    await endMiddleware(run);
  }
  run.ending.throwFailure();
  return run.transcript.newMessages;
}

/**
 * Runs the loop. If it throws, the run ends with an error message that keeps the streamed content. An error of a durable
 * run's engine propagates instead, because the run may belong to another process now.
 */
export async function runToAgentEnd(run: AgentRun, prompts: readonly AgentMessage[]): Promise<AgentMessage[]> {
  try {
    await beginAndRun(run, prompts);
  } catch (error) {
    const failure = run.steps.failure;
    if (failure) throw failure.error;
    run.ending.markShown();
    await closeTurn(run, error);
    await run.emitEnd();
  } finally {
    await endMiddleware(run).catch((error: unknown) => run.options.onLateFailure?.(error));
  }
  // An error at the last event is too late for the transcript.
  const late = run.ending.takeFailure();
  if (late) run.options.onLateFailure?.(late.error);
  return run.transcript.newMessages;
}

function streamRun(prompts: readonly AgentMessageInput[], input: LoopInput): EventStream<AgentEvent, AgentMessage[]> {
  const stream = new RunStream();
  let began = false;
  const execute = (run: AgentRun): Promise<AgentMessage[]> => {
    began = true;
    return runToAgentEnd(run, withTimes(prompts, run));
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
  if (tail.role === "assistant" && !isInterrupted(tail) && !findPausedResponse(messages))
    throw new AgentStateError(NOTHING_TO_CONTINUE);
}

/** The arguments of a function of the loop. */
interface LoopInput {
  context: AgentContext;
  config: AgentLoopConfig;
  signal: AbortSignal | undefined;
  streamFn: StreamFn;
}

/** Makes a run, lets `execute` run it, and leaves no listener behind. */
async function withRun(
  { context, config, signal, streamFn }: LoopInput,
  emit: AgentEventSink,
  execute: (run: AgentRun) => Promise<AgentMessage[]>,
): Promise<AgentMessage[]> {
  // Beside the caller's signal, middleware can abort a run, and an engine that fails.
  const controller = config.middleware?.length || config.steps ? new AbortController() : undefined;
  const own = controller?.signal;
  const gate = new AbortGate(own && signal ? anySignal([signal, own]) : (own ?? signal));
  try {
    return await execute(new AgentRun({ context, config, emit, gate, streamFn, abort: () => controller?.abort() }));
  } finally {
    gate.close();
  }
}
