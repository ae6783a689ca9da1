/** The loop: deliver messages, request a response, run its tools, and repeat until nothing is left to do. */
import type { AssistantMessage } from "pi-ai";
import { RunStopped } from "../run-stopped.js";
import { assertMessage } from "../settings/check-message.js";
import type { AgentMessage } from "../types/message.js";
import type { FinishedTurn, RunHooks, TurnDecision } from "../types/middleware.js";
import type { PolledQueue, RunSteps } from "../types/run-steps.js";
import { isPromiseLike, OperationAborted } from "./abort-gate.js";
import type { AgentRun } from "./agent-run.js";
import { runAssistantTurn } from "./assistant-turn.js";
import { beginMiddleware } from "./begin-middleware.js";
import { closeResponse } from "./closing-message.js";
import { isPending } from "./promises.js";
import { findToolCalls, isPaused } from "./requested-work.js";
import { preloadTools, runToolBatch, watchRepeats } from "./tool-batch.js";
import type { ToolBatchResult } from "./tool-batch-result.js";

/** Runs turns from `agent_start` to `agent_end`. Errors of hooks and of the stream function propagate. */
export async function runTurns(run: AgentRun, prompts: readonly AgentMessage[]): Promise<void> {
  let messages = await begin(run, prompts);
  for (let turns = 1; ; turns++) {
    if (messages.length > 0) await deliverQueued(run, messages);
    const turn = await runTurn(run);
    if (isFailed(turn.message)) break;
    const decided = decide(run, turn);
    const decision = isPending(decided) ? await decided : decided;
    const refusal = findRefusal(run, turns, decision);
    const found = findNext(run, turn, decision, refusal);
    const next = isPromiseLike(found) ? await found : found;
    if (!next) break;
    messages = next;
    const delivered = run.emit({ type: "turn_start" });
    if (isPending(delivered)) await delivered;
    if (refusal) return refuseTurn(run, refusal);
  }
  await end(run);
}

async function end(run: AgentRun): Promise<void> {
  if (run.stop) await run.emit({ type: "run_stopped", stop: run.stop });
  await run.emit({ type: "agent_end", messages: run.newMessages });
}

/** Opens the first turn and returns the messages that were queued for it. */
async function begin(run: AgentRun, prompts: readonly AgentMessage[]): Promise<readonly AgentMessage[]> {
  preloadTools(run.context.tools);
  const repeats = watchRepeats(run);
  run.middleware = { all: [repeats], afterTurn: repeats.afterTurn };
  const begun = beginMiddleware(run);
  const failure = begun && (await begun);
  const steps = run.config.runSteps;
  // First, so that the events that follow say whether they are repeated.
  const remembered = steps ? await beginSteps(run, steps, prompts) : prompts;
  await run.emit({ type: "agent_start" });
  await run.emit({ type: "turn_start" });
  if (failure) throw failure.error;
  for (const [index, prompt] of remembered.entries()) {
    assertMessage(prompt, `prompts[${index}]`);
    await deliver(run, prompt);
  }
  return isPaused(run.context.messages.at(-1)) ? [] : poll(run, "steering");
}

function beginSteps(run: AgentRun, steps: RunSteps, prompts: readonly AgentMessage[]): Promise<AgentMessage[]> {
  return steps.begin(prompts, {
    transcript: () => run.context.messages,
    rewind: (length) => run.rewind(length),
    model: run.config.model,
    systemPrompt: run.context.systemPrompt,
  });
}

/** One response and the tools that it calls. */
async function runTurn(run: AgentRun): Promise<FinishedTurn> {
  const message = await runAssistantTurn(run);
  const toolCalls = isFailed(message) ? [] : findToolCalls(message);
  const batch = toolCalls.length === 0 ? noTools() : await runToolBatch(run, message, toolCalls);
  const { messages: toolResults, rejectedCalls } = batch;
  const delivered = run.emit({ type: "turn_end", message, toolResults });
  if (isPending(delivered)) await delivered;
  const needsResponse = toolCalls.length > 0 ? !batch.terminate : isPaused(message);
  return { message, toolResults, rejectedCalls, needsResponse };
}

function noTools(): ToolBatchResult {
  return { messages: [], rejectedCalls: [], terminate: true };
}

const NOTHING: TurnDecision = {};

/** Asks all middleware, then the hooks of the application, what follows from a turn. Returns a promise only if one does. */
function decide(run: AgentRun, turn: FinishedTurn): TurnDecision | Promise<TurnDecision> {
  const { prepareNextTurn, shouldStopAfterTurn } = run.config;
  const decided = run.middleware.afterTurn?.(turn) || NOTHING;
  if (isPending(decided) || prepareNextTurn || shouldStopAfterTurn || decided.update)
    return applyDecision(run, turn, decided);
  return decided;
}

async function applyDecision(
  run: AgentRun,
  { message, toolResults }: FinishedTurn,
  decided: TurnDecision | ReturnType<NonNullable<RunHooks["afterTurn"]>>,
): Promise<TurnDecision> {
  const decision = (await decided) || NOTHING;
  if (decision.update) run.update(decision.update);
  const { prepareNextTurn, shouldStopAfterTurn } = run.config;
  if (!(prepareNextTurn || shouldStopAfterTurn)) return decision;
  const context = () => ({
    message,
    toolResults: toolResults.slice(),
    context: run.context,
    newMessages: run.newMessages,
  });
  const end = await (await loadTurnHooks(run))?.callTurnHooks(run, context);
  return end ? { ...decision, end } : decision;
}

/** Few runs have such hooks. Returns undefined after an abort, when they are not called, except in durable runs. */
async function loadTurnHooks(run: AgentRun): Promise<typeof import("./turn-hooks.js") | undefined> {
  const loading = import("./turn-hooks.js");
  try {
    return await (run.config.runSteps ? loading : run.gate.wait(loading));
  } catch (error) {
    if (error instanceof OperationAborted) return undefined;
    throw error;
  }
}

/** Creates the error of a limit that ends the run. */
type Refusal = () => Error;

/** Returns the refusal of a limit that allows no further turn. */
function findRefusal(run: AgentRun, turns: number, { end, stop }: TurnDecision): Refusal | undefined {
  const { maxTurns } = run.config;
  if (end) return undefined;
  if (maxTurns && turns >= maxTurns) return () => new Error(describeTurnLimit(turns));
  const reason = stop ?? run.stop;
  run.stop = reason;
  return reason && (() => new RunStopped(reason));
}

async function refuseTurn(run: AgentRun, refusal: Refusal): Promise<void> {
  const message = await closeResponse(run, refusal());
  await run.emit({ type: "turn_end", message, toolResults: [] });
  await end(run);
}

const NO_MESSAGES: readonly AgentMessage[] = [];

type Polled = readonly AgentMessage[] | Promise<readonly AgentMessage[]>;

/** Returns the messages for the next turn, if there is one. No message may come after the refusal of a limit. */
function findNext(
  run: AgentRun,
  turn: FinishedTurn,
  decision: TurnDecision,
  refusal: Refusal | undefined,
): Polled | Promise<readonly AgentMessage[] | undefined> | undefined {
  if (decision.end) return undefined;
  const isNeeded = (turn.needsResponse && !decision.done) || Boolean(decision.demand);
  // Nor may one come before the continuation of a paused response.
  if (refusal || isPaused(turn.message)) return isNeeded ? NO_MESSAGES : undefined;
  const join = (queued: readonly AgentMessage[]) => joinMessages(run, decision, { queued, isNeeded });
  const queued = pollQueues(run, isNeeded);
  return isPromiseLike(queued) ? queued.then(join) : join(queued);
}

function joinMessages(
  run: AgentRun,
  { messages: own = NO_MESSAGES }: TurnDecision,
  { queued, isNeeded }: { queued: readonly AgentMessage[]; isNeeded: boolean },
): readonly AgentMessage[] | undefined {
  if (queued.length > 0) for (const hooks of run.middleware.all) hooks.beforeMessages?.(queued);
  else if (!isNeeded) return undefined;
  return own.length > 0 ? [...own, ...queued] : queued;
}

/** Steering always, follow-ups only if the run would end. */
function pollQueues(run: AgentRun, isNeeded: boolean): Polled {
  const orFollowUps = (steering: readonly AgentMessage[]): Polled =>
    isNeeded || steering.length > 0 ? steering : poll(run, "follow-up");
  const steering = poll(run, "steering");
  return isPromiseLike(steering) ? steering.then(orFollowUps) : orFollowUps(steering);
}

function poll(run: AgentRun, queue: PolledQueue): Polled {
  const { config, gate } = run;
  const ask = queue === "steering" ? config.getSteeringMessages : config.getFollowUpMessages;
  if (!ask) return [];
  // Not skipped after an abort: a process that repeats the run must take the same steps.
  if (config.runSteps) return config.runSteps.poll(queue, () => (gate.aborted ? [] : ask()));
  if (gate.aborted) return [];
  const response = ask();
  return isPromiseLike(response) ? waitForPoll(run, response) : (response ?? []);
}

async function waitForPoll(run: AgentRun, response: Promise<AgentMessage[]>): Promise<readonly AgentMessage[]> {
  try {
    return (await run.gate.wait(response)) ?? [];
  } catch (error) {
    if (error instanceof OperationAborted) return [];
    throw error;
  }
}

/** Messages that are not delivered because of an abort go back to their queue. */
async function deliverQueued(run: AgentRun, messages: readonly AgentMessage[]): Promise<void> {
  for (const message of messages) {
    if (run.gate.aborted) return;
    await deliver(run, message);
  }
}

async function deliver(run: AgentRun, message: AgentMessage): Promise<void> {
  run.add(message);
  await run.emitMessage(message);
}

function describeTurnLimit(turns: number): string {
  return `The run was ended after ${turns} ${turns === 1 ? "turn" : "turns"}, the limit set by maxTurns`;
}

function isFailed(message: AssistantMessage): boolean {
  return message.stopReason === "error" || message.stopReason === "aborted";
}
