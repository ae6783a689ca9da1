/**
 * The loop: deliver messages, request a response, run its tools, and repeat until nothing is left to do. It knows no
 * feature: what is optional is middleware, and what another process must not repeat goes through `run.steps`.
 */

import type { AssistantMessage } from "pi-ai";
import { isFailure, isPaused } from "pi-ai/call";
import type { AgentMessage, AgentToolCall } from "../types/message.js";
import type { FinishedTurn, TurnDecision } from "../types/middleware.js";
import { isPending } from "./abort-gate.js";
import type { AgentRun } from "./agent-run.js";
import { closeResponse, respond } from "./assistant-turn.js";
import { RunStopped } from "./run-stopped.js";
import { assertMessage } from "./settings/index.js";
import { findToolCalls } from "./tools/requested-calls.js";
import { preloadTools, runToolBatch, watchRepeats } from "./tools/tool-batch.js";
import type { ToolBatchResult } from "./tools/tool-call.js";
import { beginMiddleware, decide, poll } from "./turn-hooks.js";

const NO_MESSAGES: readonly AgentMessage[] = [];
const NO_CALLS: readonly AgentToolCall[] = [];

/** Runs turns from `agent_start` to `agent_end`. Errors of hooks and of the stream function propagate. */
export async function runTurns(run: AgentRun, prompts: readonly AgentMessage[]): Promise<void> {
  let messages = await begin(run, prompts);
  for (let turns = 1; ; turns++) {
    const turn = await runTurn(run, messages);
    if (isFailure(turn.message.stopReason)) break;
    const decided = decide(run, turn);
    const decision = isPending(decided) ? await decided : decided;
    if (decision.end) break;
    const refusal = findRefusal(run, turns, decision);
    const found = findNext(run, turn, { decision, refusal });
    const next = isPending(found) ? await found : found;
    if (!next) break;
    messages = next;
    const begun = run.emit({ type: "turn_start" });
    if (begun) await begun;
    if (refusal) return refuseTurn(run, refusal);
  }
  await end(run);
}

async function end(run: AgentRun): Promise<void> {
  if (run.stop) await run.emit({ type: "run_stopped", stop: run.stop });
  run.side.tellRemembered(run.middleware);
  const sideUsages = run.side.takeUsages();
  await run.emit({ type: "agent_end", messages: run.newMessages, ...(sideUsages.length > 0 && { sideUsages }) });
}

/** Opens the first turn and returns the messages that were queued for it. */
async function begin(run: AgentRun, prompts: readonly AgentMessage[]): Promise<readonly AgentMessage[]> {
  preloadTools(run.context.tools);
  watchRepeats(run);
  const beginning = beginMiddleware(run);
  const failure = beginning && (await beginning);
  // First, so that the events that follow say whether they are repeated. A run that nothing stores begins at once.
  const begun = run.steps.begin(prompts, run.describeBeginning());
  const delivered = isPending(begun) ? await begun : begun;
  await (run.begun ? run.begun.delivered : run.emit({ type: "agent_start" }));
  await run.emit({ type: "turn_start" });
  if (failure) throw failure.error;
  for (const [index, prompt] of delivered.entries()) {
    assertMessage(prompt, `prompts[${index}]`);
    await run.deliver(prompt);
  }
  return isPaused(run.context.messages.at(-1)) ? NO_MESSAGES : poll(run, "steering");
}

/** Messages that are not delivered because of an abort go back to their queue. */
async function deliver(run: AgentRun, messages: readonly AgentMessage[]): Promise<void> {
  for (const message of messages) if (!run.gate.aborted) await run.deliver(message);
}

/** One response and the tools that it calls. */
async function runTurn(run: AgentRun, messages: readonly AgentMessage[]): Promise<FinishedTurn> {
  if (messages.length > 0) await deliver(run, messages);
  const message = await respond(run);
  const toolCalls = isFailure(message.stopReason) ? NO_CALLS : findToolCalls(message);
  if (toolCalls.length > 0) run.holdResults();
  const batch = toolCalls.length > 0 ? await runToolBatch(run, message, toolCalls) : noTools(message);
  const released = run.releaseResults();
  if (released) await released;
  const { messages: toolResults, rejectedCalls, terminate } = batch;
  const delivered = run.emit({ type: "turn_end", message, toolResults });
  if (delivered) await delivered;
  const repeats = run.countRepeats(toolCalls, toolResults);
  return { message, toolResults, rejectedCalls, needsResponse: !terminate, repeats };
}

function noTools(message: AssistantMessage): ToolBatchResult {
  return { messages: [], rejectedCalls: [], terminate: !isPaused(message) };
}

/** Creates the error of a limit that ends the run. */
type Refusal = () => Error;

/** Returns the refusal of a limit that allows no further turn. */
function findRefusal(run: AgentRun, turns: number, { stop }: TurnDecision): Refusal | undefined {
  const { maxTurns } = run.config;
  if (maxTurns && turns >= maxTurns) {
    const used = `${turns} ${turns === 1 ? "turn" : "turns"}`;
    return () => new Error(`The run was ended after ${used}, the limit set by maxTurns`);
  }
  run.stop = stop ?? run.stop;
  const reason = run.stop;
  return reason && (() => new RunStopped(reason));
}

async function refuseTurn(run: AgentRun, refusal: Refusal): Promise<void> {
  const message = await closeResponse(run, refusal());
  await run.emit({ type: "turn_end", message, toolResults: [] });
  await end(run);
}

type Messages = readonly AgentMessage[];
/** What comes before the next turn; undefined if there is none. */
type Next = Messages | undefined;

/** Returns the messages for the next turn, if there is one. Returns a promise only if there is something to wait for. */
function findNext(
  run: AgentRun,
  turn: FinishedTurn,
  { decision, refusal }: { decision: TurnDecision; refusal: Refusal | undefined },
): Next | Promise<Next> {
  const isNeeded = (turn.needsResponse && !decision.done) || Boolean(decision.demand);
  // No message may come after the refusal of a limit, or before the continuation of a paused response.
  if (refusal || isPaused(turn.message)) return isNeeded ? NO_MESSAGES : undefined;
  const steering = poll(run, "steering");
  const isWaiting = isPending(steering) || (steering.length === 0 && !isNeeded);
  return isWaiting ? findLater(run, decision, { steering, isNeeded }) : takeQueued(run, decision, steering);
}

/** Polls follow-ups only if the run would end. */
async function findLater(
  run: AgentRun,
  decision: TurnDecision,
  { steering, isNeeded }: { steering: Messages | Promise<Messages>; isNeeded: boolean },
): Promise<Next> {
  const steered = await steering;
  const queued = isNeeded || steered.length > 0 ? steered : await poll(run, "follow-up");
  return isNeeded || queued.length > 0 ? takeQueued(run, decision, queued) : undefined;
}

function takeQueued(run: AgentRun, { messages: own }: TurnDecision, queued: Messages): Messages {
  if (queued.length > 0) run.middleware.beforeMessages?.(queued);
  return own ? [...own, ...queued] : queued;
}
