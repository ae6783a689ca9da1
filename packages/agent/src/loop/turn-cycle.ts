/**
 * The loop: deliver messages, request a response, run its tools, and repeat until nothing is left to do. It knows no
 * feature: what is optional is middleware, and what another process must not repeat goes through `run.steps`.
 */

import { isFailure } from "pi-ai/call";
import type { AgentMessage } from "../types/message.js";
import type { FinishedTurn, TurnDecision } from "../types/middleware.js";
import type { PolledQueue } from "../types/run-steps.js";
import { isPending, isPromiseLike, OperationAborted } from "./abort-gate.js";
import type { AgentRun } from "./agent-run.js";
import { respond } from "./assistant-turn.js";
import { beginMiddleware } from "./begin-middleware.js";
import { closeResponse } from "./closing-message.js";
import { findToolCalls, isPaused } from "./requested-work.js";
import { RunStopped } from "./run-stopped.js";
import { assertMessage } from "./settings/index.js";
import { preloadTools, runToolBatch, watchRepeats } from "./tools/tool-batch.js";
import { decide } from "./turn-hooks.js";

const NO_MESSAGES: readonly AgentMessage[] = [];

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
    const next = await findNext(run, turn, { decision, refusal });
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
  const toolCalls = isFailure(message.stopReason) ? [] : findToolCalls(message);
  if (toolCalls.length > 0) run.holdResults();
  const batch = toolCalls.length > 0 ? await runToolBatch(run, message, toolCalls) : undefined;
  run.releaseResults();
  const { messages: toolResults = [], rejectedCalls = [], terminate } = batch ?? {};
  const delivered = run.emit({ type: "turn_end", message, toolResults });
  if (isPending(delivered)) await delivered;
  const repeats = run.countRepeats(toolCalls, toolResults);
  return { message, toolResults, rejectedCalls, needsResponse: batch ? !terminate : isPaused(message), repeats };
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

/** Returns the messages for the next turn, if there is one. No message may come after the refusal of a limit. */
async function findNext(
  run: AgentRun,
  turn: FinishedTurn,
  { decision, refusal }: { decision: TurnDecision; refusal: Refusal | undefined },
): Promise<readonly AgentMessage[] | undefined> {
  const { messages: own = NO_MESSAGES, done, demand } = decision;
  const isNeeded = (turn.needsResponse && !done) || demand;
  // Nor may one come before the continuation of a paused response.
  if (refusal || isPaused(turn.message)) return isNeeded ? NO_MESSAGES : undefined;
  const steering = await poll(run, "steering");
  // Follow-ups only if the run would end.
  const queued = isNeeded || steering.length > 0 ? steering : await poll(run, "follow-up");
  if (queued.length > 0) for (const hooks of run.middleware.all) hooks.beforeMessages?.(queued);
  else if (!isNeeded) return undefined;
  return own.length > 0 ? [...own, ...queued] : queued;
}

function poll(
  { config, gate, steps }: AgentRun,
  queue: PolledQueue,
): readonly AgentMessage[] | Promise<readonly AgentMessage[]> {
  const ask = queue === "steering" ? config.getSteeringMessages : config.getFollowUpMessages;
  return steps.poll(queue, () => {
    if (!ask || gate.aborted) return NO_MESSAGES;
    const asked = ask();
    if (!isPromiseLike(asked)) return asked ?? NO_MESSAGES;
    return Promise.resolve(gate.wait(asked)).then(
      (messages) => messages ?? NO_MESSAGES,
      (error) => (error instanceof OperationAborted ? NO_MESSAGES : Promise.reject(error)),
    );
  });
}
