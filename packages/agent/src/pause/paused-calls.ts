/** What the calls of a run have to do with people: requests that wait and are signed, answers, and the way on after a pause. */
import type { AssistantMessage, ToolResultMessage } from "pi-ai";
import { createTextResult } from "../tool-result.js";
import type { AgentContext } from "../types/agent-context.js";
import type { AgentMessage, AgentToolCall } from "../types/message.js";
import type { RunHooks } from "../types/middleware.js";
import type { CallMark, OnNewMessage, PausedCall, PauseRequest, WaitingCall } from "../types/pause.js";
import type { AgentToolCallOutcome, AnyAgentTool } from "../types/tool.js";
import { Asking, type AskingCall } from "./ask.js";
import { createKeys, findPausedResponse, MAX_WAITING_CALLS, WAITING_TEXT } from "./call-marks.js";
import { callsById } from "./response-calls.js";
import { describeChange, describeLeft, planResume, type Resumed, withChanges } from "./resume.js";

/** The calls of a response, as far as people are concerned. */
export interface PausableBatch {
  readonly run: {
    readonly middleware?: Pick<RunHooks, "beforePause">;
    /** Unix time in milliseconds. */
    now?(): number;
  };
  readonly assistantMessage: AssistantMessage;
  readonly context: AgentContext;
  /** Tools of middleware. */
  readonly hiddenTools?: readonly AnyAgentTool[] | undefined;
  /** The calls that have paused in an earlier run, by their ids. */
  readonly paused?: ReadonlyMap<string, PausedCall> | undefined;
  /** Whether the user has written a message since: a call that would wait is declined. */
  readonly declines?: boolean | undefined;
}

/** The calls of a batch that wait, and those that can be told apart. */
interface WaitingCalls {
  readonly ids: Set<string>;
  readonly known: ReadonlyMap<string, AgentToolCall>;
}

const waitingCalls = new WeakMap<PausableBatch, WaitingCalls>();

/** Notes that a call waits, and returns why it cannot. */
export function whyNotWaiting({ id, name }: AgentToolCall, batch: PausableBatch): string | undefined {
  const waiting = waitingCalls.get(batch) ?? {
    ids: new Set(batch.paused?.keys()),
    known: callsById(batch.assistantMessage),
  };
  waitingCalls.set(batch, waiting);
  const { ids, known } = waiting;
  if (!known.has(id)) return `${name} cannot wait for an answer: another call of the response has its id`;
  if (!ids.has(id) && ids.size >= MAX_WAITING_CALLS)
    return `${name} cannot wait for an answer: ${MAX_WAITING_CALLS} calls wait, which is the limit of a response`;
  ids.add(id);
  return undefined;
}

/** What a signature holds of the tool. Providers say nothing of theirs. */
function toolOf(
  { name, serverTool }: AgentToolCall,
  { context, hiddenTools }: PausableBatch,
): AnyAgentTool | undefined {
  if (serverTool) return undefined;
  const isNamed = (tool: AnyAgentTool): boolean => tool.name === name;
  return hiddenTools?.find(isNamed) ?? context.tools?.find(isNamed);
}

/** For a call that waits for answers. */
export function createWaitingOutcome(
  toolCall: AgentToolCall,
  pause: NonNullable<AgentToolCallOutcome["pause"]>,
  details: unknown = {},
): AgentToolCallOutcome {
  return { toolCall, result: { ...createTextResult(WAITING_TEXT), details }, isError: false, pause };
}

/** For a call that a hook lets wait for the answer to a request. */
export function createRequestOutcome(
  toolCall: AgentToolCall,
  request: PauseRequest,
  { paused }: PausableBatch,
): AgentToolCallOutcome {
  const key = paused?.get(toolCall.id)?.key ?? request.id;
  return createWaitingOutcome(toolCall, { state: "waiting", key, requests: [request] });
}

/** The mark of a call of a sequential batch that comes after the one that waits; undefined if it has one already. */
export async function createOrderMark(toolCall: AgentToolCall, batch: PausableBatch): Promise<CallMark | undefined> {
  const { id, name: toolName, arguments: args } = toolCall;
  if (batch.paused?.has(id)) return undefined;
  const key = createKeys(batch.context.messages)(id);
  const order = { id: `${key}!`, kind: "order", toolCallId: id, toolName, arguments: args } as const;
  return { state: "waiting", key, requests: await signRequests({ requests: [order] }, toolCall, batch) };
}

/** The outcome of a call: the model learns of arguments that the user has changed, and the requests of one that waits are signed. */
export async function withPeople(ended: AgentToolCallOutcome, batch: PausableBatch): Promise<AgentToolCallOutcome> {
  const { toolCall, pause, result } = ended;
  if (pause) {
    const problem = batch.declines ? describeLeft(toolCall.name) : whyNotWaiting(toolCall, batch);
    const details = batch.declines ? { declined: true } : {};
    if (problem) return { toolCall, result: { ...createTextResult(problem), details }, isError: true };
    return { ...ended, pause: { ...pause, requests: await signRequests(pause, toolCall, batch) } };
  }
  const change = describeChange(batch.paused?.get(toolCall.id));
  if (!change) return ended;
  return { ...ended, result: { ...result, content: [{ type: "text", text: change }, ...result.content] } };
}

/** Lets the hooks see requests before anybody else, which sign them. */
async function signRequests(
  { requests, resume }: WaitingCall,
  toolCall: AgentToolCall,
  batch: PausableBatch,
): Promise<readonly PauseRequest[]> {
  // The user may have changed the arguments of the call that ran; the transcript keeps the model's.
  const call = batch.paused?.get(toolCall.id)?.call ?? toolCall;
  const tool = toolOf(call, batch);
  return (await batch.run.middleware?.beforePause?.(requests, call, { tool, resume })) ?? requests;
}

/** The questions of a tool that runs. */
export function createAsking(
  toolCall: AgentToolCall,
  batch: PausableBatch,
  how: Pick<AskingCall, "shown" | "parse">,
): Asking {
  return new Asking({
    ...how,
    toolCall,
    paused: batch.paused?.get(toolCall.id),
    key: () => createKeys(batch.context.messages)(toolCall.id),
    now: () => batch.run.now?.() ?? Date.now(),
  });
}

/** A run that may go on after a pause. */
export interface ResumableRun {
  readonly transcript: { readonly context: AgentContext; deliver(message: AgentMessage): Promise<void> };
  readonly settings: { readonly config: { readonly onNewMessage?: OnNewMessage | undefined } };
  readonly gate: { readonly aborted: boolean };
  readonly ending: { waitForAnswers(messages: readonly AgentMessage[]): void };
  now(): number;
  endTurn(message: AssistantMessage, toolResults: ToolResultMessage[]): Promise<void> | undefined;
  /** Keeps the results for the first turn. */
  resume(results: readonly ToolResultMessage[]): void;
}

/** Runs these calls of a response, and returns their results. */
export type RunCalls = (
  message: AssistantMessage,
  ids: ReadonlySet<string>,
  how: {
    change: (toolCall: AgentToolCall) => AgentToolCall;
    paused: ReadonlyMap<string, PausedCall>;
    declines: boolean;
  },
) => Promise<ToolResultMessage[]>;

/**
 * Finds the calls with which a conversation goes on that has paused.
 *
 * @param hasPrompts whether the run has new messages
 * @throws AgentStateError if it has some, and a request is open that they do not decline
 */
export function findResumed(run: ResumableRun, hasPrompts: boolean): Resumed | undefined {
  const { onNewMessage } = run.settings.config;
  return planResume(run.transcript.context.messages, { now: run.now(), onNewMessage, hasPrompts });
}

/** Runs these calls before the first request. If others still wait, the run pauses again. */
export async function resumeCalls(run: ResumableRun, resumed: Resumed, runCalls: RunCalls): Promise<void> {
  const { transcript } = run;
  const { messages } = transcript.context;
  const { message, calls, marks, runnable, declines } = resumed;
  for (const mark of marks) await transcript.deliver(mark);
  // What is checked is the call that runs.
  const change = (toolCall: AgentToolCall): AgentToolCall => {
    const paused = calls.get(toolCall.id);
    return withChanges(paused?.call ?? toolCall, paused);
  };
  const toolResults = await runCalls(message, runnable, { change, paused: calls, declines });
  run.resume(toolResults);
  // After an abort, the response that closes the run comes next.
  if (run.gate.aborted || !findPausedResponse(messages)) return;
  run.ending.waitForAnswers(messages);
  await run.endTurn(message, toolResults);
}
