/** The agent loop without an {@link Agent}: functions over a conversation, a configuration and a stream function. */
import { anySignal, EventStream, isPaused } from "pi-ai/call";
import { AgentStateError } from "./errors.js";
import { AbortGate } from "./loop/abort-gate.js";
import type { AgentRun } from "./loop/agent-run.js";
import { streamWithProviders } from "./loop/defaults.js";
import { loadRuns } from "./loop/load-runs.js";
import { emitRefusal } from "./loop/refusal.js";
import { assertTools } from "./loop/tools/check-tools.js";
import type { AgentContext } from "./types/agent-context.js";
import type { AgentLoopConfig } from "./types/config.js";
import type { AgentEvent, AgentEventSink } from "./types/event.js";
import type { StreamFn } from "./types/hooks.js";
import type { AgentMessage } from "./types/message.js";

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
  streamFn?: StreamFn,
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
  streamFn?: StreamFn,
): EventStream<AgentEvent, AgentMessage[]> {
  assertCanContinue(context);
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
  streamFn?: StreamFn,
): Promise<AgentMessage[]> {
  return withRun({ context, config, signal, streamFn }, emit, (run, { runToFailure }) => runToFailure(run, prompts));
}

/** Combines {@link agentLoopContinue} and {@link runAgentLoop}; rejects where the former throws. */
export async function runAgentLoopContinue(
  context: AgentContext,
  config: AgentLoopConfig,
  emit: AgentEventSink,
  signal?: AbortSignal,
  streamFn?: StreamFn,
): Promise<AgentMessage[]> {
  assertCanContinue(context);
  return withRun({ context, config, signal, streamFn }, emit, (run, { runToFailure }) => runToFailure(run, []));
}

interface LoopInput {
  context: AgentContext;
  config: AgentLoopConfig;
  signal: AbortSignal | undefined;
  streamFn: StreamFn | undefined;
}

function streamRun(prompts: AgentMessage[], input: LoopInput): EventStream<AgentEvent, AgentMessage[]> {
  assertTools(input.context?.tools);
  const stream = new EventStream<AgentEvent, AgentMessage[]>(isEnd, newMessages);
  const hasMiddleware = Boolean(input.config?.middleware?.length);
  let last: AgentEvent | undefined;
  // Who waits for the end of the stream finds that middleware has ended, too: a log is written, a span has ended.
  const emit = (event: AgentEvent): void => {
    if (hasMiddleware && isEnd(event)) last = event;
    else stream.push(event);
  };
  let began = false;
  const begin: Execute = (run, { runToEnd }) => {
    began = true;
    return runToEnd(run, prompts);
  };
  const end = (): void => {
    if (last) stream.push(last);
  };
  withRun(input, emit, begin).then(end, async (error) => {
    if (!began) await emitRefusal(emit, error, { config: input.config });
    end();
    // Only the engine of a durable run can fail without a last event. Another process may continue the run, so it has no end.
    stream.end();
  });
  return stream;
}

type Execute = (run: AgentRun, runs: Awaited<ReturnType<typeof loadRuns>>) => Promise<AgentMessage[]>;

async function withRun(
  { context, config, signal, streamFn = streamWithProviders }: LoopInput,
  emit: AgentEventSink,
  execute: Execute,
): Promise<AgentMessage[]> {
  // Without middleware, nothing but the caller's signal aborts the run.
  const ending = config?.middleware?.length ? new AbortController() : undefined;
  const gate = new AbortGate(ending && signal ? anySignal([signal, ending.signal]) : (ending?.signal ?? signal));
  const abort = (): void => ending?.abort();
  try {
    const loading = loadRuns();
    if (!(loading instanceof Promise))
      return await execute(new loading.AgentRun({ context, config, emit, gate, streamFn, abort }), loading);
    // What the caller changes while the first run is loaded does not change this run.
    const own = { context: copyContext(context), config: config && { ...config } };
    const runs = await loading;
    return await execute(new runs.AgentRun({ ...own, emit, gate, streamFn, abort }), runs);
  } finally {
    gate.close();
  }
}

/** Copies the conversation. Returns any other value as it is, because the run refuses it. */
function copyContext(context: AgentContext): AgentContext {
  return Array.isArray(context?.messages) ? { ...context, messages: context.messages.slice() } : context;
}

function assertCanContinue({ messages }: AgentContext): void {
  const tail = messages.at(-1);
  if (!tail) throw new AgentStateError("Cannot continue: no messages in context");
  if (tail.role === "assistant" && !isPaused(tail))
    throw new AgentStateError("Cannot continue from message role: assistant");
}

function isEnd(event: AgentEvent): boolean {
  return event.type === "agent_end";
}

function newMessages(event: AgentEvent): AgentMessage[] {
  return event.type === "agent_end" ? event.messages : [];
}
