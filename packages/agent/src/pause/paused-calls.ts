/** The calls of a run and people: requests that wait and are signed, and what the answers change. */
import type { AssistantMessage } from "pi-ai";
import { createTextResult } from "../tool-result.js";
import type { AgentContext } from "../types/agent-context.js";
import type { AgentToolCall } from "../types/message.js";
import type { RunHooks } from "../types/middleware.js";
import type { CallMark, PausedCall, PauseRequest, WaitingCall } from "../types/pause.js";
import type { AgentToolCallOutcome, AnyAgentTool } from "../types/tool.js";
import { Asking, type AskingCall } from "./ask.js";
import { createKeys, MAX_WAITING_CALLS, WAITING_TEXT } from "./call-marks.js";
import { callsById } from "./response-calls.js";
import { describeChange, describeLeft } from "./resume.js";

/** The parts of a batch that people have to do with. */
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

/** Registers that a call waits. Returns why it cannot. */
export function registerWaiting({ id, name }: AgentToolCall, batch: PausableBatch): string | undefined {
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

/** The tool whose description a signature holds. Providers describe none of theirs. */
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
  return { state: "waiting", key, requests: await signRequests({ key, requests: [order] }, toolCall, batch) };
}

/** The outcome of a call: the model learns of arguments that the user has changed, and the requests of one that waits are signed. */
export async function withPeople(ended: AgentToolCallOutcome, batch: PausableBatch): Promise<AgentToolCallOutcome> {
  const { toolCall, pause, result } = ended;
  if (pause) {
    const problem = batch.declines ? describeLeft(toolCall.name) : registerWaiting(toolCall, batch);
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
  { key, requests, resume }: WaitingCall & { readonly key: string },
  toolCall: AgentToolCall,
  batch: PausableBatch,
): Promise<readonly PauseRequest[]> {
  // The user may have changed the arguments of the call that ran; the transcript keeps the model's.
  const paused = batch.paused?.get(toolCall.id);
  const call = paused?.call ?? toolCall;
  const tool = toolOf(call, batch);
  return (await batch.run.middleware?.beforePause?.(requests, call, { tool, key, resume, paused })) ?? requests;
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
