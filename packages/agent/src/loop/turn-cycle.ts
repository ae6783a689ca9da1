/** The loop: deliver messages, request a response, run its tools, and repeat until nothing is left to do. */
import type { AssistantMessage, ToolResultMessage } from "pi-ai";
import type { AgentMessage } from "../types/message.js";
import type { AgentOutput } from "../types/output.js";
import type { TurnVerdict } from "../types/run-guard.js";
import type { PolledQueue } from "../types/run-steps.js";
import { isPromiseLike, OperationAborted } from "./abort-gate.js";
import type { AgentRun } from "./agent-run.js";
import { runAssistantTurn } from "./assistant-turn.js";
import { closeResponse } from "./closing-message.js";
import { isPending } from "./promises.js";
import { DEFAULT_MAX_REPEATS } from "./repeated-rounds.js";
import { findToolCalls, isPaused } from "./requested-work.js";
import type { RunOutput } from "./run-output.js";
import { RunStopped } from "./run-stopped.js";
import { preloadTools, runToolBatch } from "./tool-batch.js";
import { callTurnHooks } from "./turn-hooks.js";

/** The outcome of a turn. */
interface FinishedTurn {
  message: AssistantMessage;
  toolResults: ToolResultMessage[];
  /** Whether the model has to see the results, or has to go on after a pause. */
  needsResponse: boolean;
  /** The verdict of the run's limits. */
  verdict: TurnVerdict | undefined;
  /** The message that sends an invalid output back. */
  repair?: AgentMessage;
}

/** Runs turns from `agent_start` to `agent_end`. Errors of hooks and of the stream function propagate. */
export async function runTurns(run: AgentRun, prompts: readonly AgentMessage[]): Promise<void> {
  let pending = await begin(run, prompts);
  for (let turns = 1; ; turns++) {
    if (pending.length > 0) await deliverQueued(run, pending);
    const turn = await runTurn(run);
    const over = isOver(run, turn);
    if (over && (await over)) break;
    const limit = findLimit(run, turns, turn.verdict);
    const taken = takeMessages(run, turn, limit);
    pending = isPromiseLike(taken) ? await taken : taken;
    if (!turn.needsResponse && pending.length === 0) break;
    const delivered = run.emit({ type: "turn_start" });
    if (isPending(delivered)) await delivered;
    if (limit) {
      await refuseTurn(run, limit);
      break;
    }
  }
  await end(run);
}

async function end(run: AgentRun): Promise<void> {
  if (run.stop) await run.emit({ type: "run_stopped", stop: run.stop });
  await run.emit({ type: "agent_end", messages: run.newMessages });
}

async function refuseTurn(run: AgentRun, limit: Error): Promise<void> {
  const message = await closeResponse(run, limit);
  await run.emit({ type: "turn_end", message, toolResults: [] });
}

/** Returns the error of a limit that allows no further turn. */
function findLimit(run: AgentRun, turns: number, verdict: TurnVerdict | undefined): Error | undefined {
  const { maxTurns, maxRepeats = DEFAULT_MAX_REPEATS } = run.config;
  if (maxTurns && turns >= maxTurns) return new Error(describeTurnLimit(turns));
  const repeats = run.repeats.count;
  if (verdict?.stop) run.stop = verdict.stop;
  else if (maxRepeats && repeats >= maxRepeats) run.stop = { by: "loop", loop: "same_call", repeats };
  return run.stop && new RunStopped(run.stop);
}

/** Returns the messages for the next turn. None may come after a limit or before the continuation of a paused response. */
function takeMessages(run: AgentRun, turn: FinishedTurn, limit: Error | undefined): Polled {
  if (limit || isPaused(turn.message)) return [];
  const polled = pollQueues(run, turn);
  const take = (messages: readonly AgentMessage[]) => countMessages(run, turn, messages);
  return isPromiseLike(polled) ? polled.then(take) : take(polled);
}

/** Adds the nudge of a limit. A queued message may change results, so it resets the count of rounds. */
function countMessages(run: AgentRun, turn: FinishedTurn, messages: readonly AgentMessage[]): readonly AgentMessage[] {
  if (messages.length > (turn.repair ? 1 : 0)) {
    run.repeats.reset();
    run.guard?.seeMessages();
  }
  const nudge = turn.verdict?.nudge;
  if (!nudge || (!turn.needsResponse && messages.length === 0)) return messages;
  return [{ role: "user", content: nudge, timestamp: run.now() }, ...messages];
}

/** Opens the first turn and returns the messages that were queued for it. */
async function begin(run: AgentRun, prompts: readonly AgentMessage[]): Promise<readonly AgentMessage[]> {
  preloadTools(run.context.tools);
  await run.emit({ type: "agent_start" });
  await run.emit({ type: "turn_start" });
  if (run.config.output) run.output = await loadOutput(run, run.config.output);
  const steps = run.config.runSteps;
  const remembered = steps ? await steps.begin(prompts, () => run.context.messages) : prompts;
  for (const prompt of remembered) await deliver(run, prompt);
  return isPaused(run.context.messages.at(-1)) ? [] : poll(run, "steering");
}

async function runTurn(run: AgentRun): Promise<FinishedTurn> {
  const message = await runAssistantTurn(run);
  const toolCalls = isFailed(message) ? [] : findToolCalls(message);
  const batch =
    toolCalls.length === 0 ? { messages: [], terminate: true } : await runToolBatch(run, message, toolCalls);
  const toolResults = batch.messages;
  const delivered = run.emit({ type: "turn_end", message, toolResults });
  if (isPending(delivered)) await delivered;
  const needsResponse = toolCalls.length > 0 ? !batch.terminate : isPaused(message);
  const judged = run.guard?.afterTurn(message, toolResults);
  const verdict = isPending(judged) ? await judged : judged;
  const turn = { message, toolResults, needsResponse, verdict };
  return run.output && !isFailed(message) ? readOutput(run, run.output, turn) : turn;
}

/** The output ends the run, even if the response called other tools, too. */
async function readOutput(run: AgentRun, output: RunOutput, turn: FinishedTurn): Promise<FinishedTurn> {
  const step = await output.read(turn.message, turn.toolResults);
  if (step.type === "none") return turn;
  if (step.type === "repair") return { ...turn, needsResponse: true, repair: step.message };
  await run.emit({ type: "output", output: step.object });
  return { ...turn, needsResponse: false };
}

async function loadOutput(run: AgentRun, request: AgentOutput): Promise<RunOutput> {
  const { RunOutput } = await run.gate.wait(import("./run-output.js"));
  return new RunOutput(run, request);
}

/** Whether no further turn may follow, regardless of the queues. Returns a promise only if there is a hook to call. */
function isOver(run: AgentRun, turn: FinishedTurn): boolean | Promise<boolean> {
  const { prepareNextTurn, shouldStopAfterTurn } = run.config;
  const { message, toolResults } = turn;
  const hookContext = () => ({ message, toolResults, context: run.context, newMessages: run.newMessages });
  return isFailed(turn.message) || (Boolean(prepareNextTurn || shouldStopAfterTurn) && callTurnHooks(run, hookContext));
}

type Polled = readonly AgentMessage[] | Promise<readonly AgentMessage[]>;

function pollQueues(run: AgentRun, { needsResponse, repair }: FinishedTurn): Polled {
  const orFollowUps = (steering: readonly AgentMessage[]): Polled => {
    if (repair) return [repair, ...steering];
    return needsResponse || steering.length > 0 ? steering : poll(run, "follow-up");
  };
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
