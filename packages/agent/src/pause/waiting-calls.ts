/** The calls of a run and people: requests that wait and are signed, and what the answers change. */
import type { AssistantMessage } from "pi-ai";
import { createTextResult } from "../tool-result.js";
import type { AgentContext } from "../types/agent-context.js";
import type { AgentToolCall } from "../types/message.js";
import type { RunHooks } from "../types/middleware.js";
import type { CallMark, PausedCall, PauseRequest, WaitingCall } from "../types/pause.js";
import type { AgentToolCallOutcome, AnyAgentTool } from "../types/tool.js";
import { type QuestionedCall, ToolQuestions } from "./ask.js";
import { createKeys } from "./call-keys.js";
import { WAITING_TEXT } from "./call-marks.js";
import { MAX_WAITING_CALLS } from "./paused-response.js";
import { callsById } from "./response-calls.js";
import { describeChange, describeLeftBehind } from "./resume.js";

/** The parts of a batch that people have to do with. */
export interface PausableBatch {
  readonly run: {
    readonly middleware?: Pick<RunHooks, "beforePause">;
    /** Unix time in milliseconds. */
    now?(): number;
  };
  readonly context: AgentContext;
  /** Tools of middleware. */
  readonly hiddenTools?: readonly AnyAgentTool[] | undefined;
  /** The calls that have paused in an earlier run, by their ids. */
  readonly pausedCalls?: ReadonlyMap<string, PausedCall> | undefined;
  /** Whether the user has written a message since: a call that would wait is declined. */
  readonly hasNewMessage?: boolean | undefined;
  readonly waiting: WaitingCalls;
}

/** The calls of a response that wait. */
export class WaitingCalls {
  readonly #response: AssistantMessage;
  readonly #ids: Set<string>;
  /** The calls that have an id of their own. */
  #known: ReadonlyMap<string, AgentToolCall> | undefined;

  constructor(response: AssistantMessage, pausedCalls: PausableBatch["pausedCalls"]) {
    this.#response = response;
    this.#ids = new Set(pausedCalls?.keys());
  }

  /** Adds a call. Returns why it cannot wait. */
  add({ id, name }: AgentToolCall): string | undefined {
    this.#known ??= callsById(this.#response);
    if (!this.#known.has(id)) return `${name} cannot wait for an answer: another call of the response has its id`;
    if (!this.#ids.has(id) && this.#ids.size >= MAX_WAITING_CALLS)
      return `${name} cannot wait for an answer: ${MAX_WAITING_CALLS} calls wait, which is the limit of a response`;
    this.#ids.add(id);
    return undefined;
  }
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
  { pausedCalls }: Pick<PausableBatch, "pausedCalls">,
): AgentToolCallOutcome {
  const key = pausedCalls?.get(toolCall.id)?.key ?? request.id;
  return createWaitingOutcome(toolCall, { state: "waiting", key, requests: [request] });
}

/** The mark of a call of a sequential batch that comes after the one that waits; undefined if it has one already. */
export async function createOrderMark(toolCall: AgentToolCall, batch: PausableBatch): Promise<CallMark | undefined> {
  const { id, name: toolName, arguments: args } = toolCall;
  if (batch.pausedCalls?.has(id)) return undefined;
  const key = createKeys(batch.context.messages)(id);
  const order = { id: `${key}!`, kind: "order", toolCallId: id, toolName, arguments: args } as const;
  return { state: "waiting", key, requests: await signRequests({ key, requests: [order] }, toolCall, batch) };
}

/** The outcome of a call that would wait: its requests are signed; or an error, because it cannot wait. */
export async function prepareToWait(
  ended: AgentToolCallOutcome,
  pause: NonNullable<AgentToolCallOutcome["pause"]>,
  batch: PausableBatch,
): Promise<AgentToolCallOutcome> {
  const { toolCall } = ended;
  const problem = batch.hasNewMessage ? describeLeftBehind(toolCall.name) : batch.waiting.add(toolCall);
  const details = batch.hasNewMessage ? { declined: true } : {};
  if (problem) return { toolCall, result: { ...createTextResult(problem), details }, isError: true };
  return { ...ended, pause: { ...pause, requests: await signRequests(pause, toolCall, batch) } };
}

/** The outcome of a call; the model learns of arguments that the user has changed. */
export function withUserChange(
  ended: AgentToolCallOutcome,
  { pausedCalls }: Pick<PausableBatch, "pausedCalls">,
): AgentToolCallOutcome {
  const { toolCall, result } = ended;
  const change = describeChange(pausedCalls?.get(toolCall.id));
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
  const paused = batch.pausedCalls?.get(toolCall.id);
  const call = paused?.call ?? toolCall;
  const tool = toolOf(call, batch);
  return (await batch.run.middleware?.beforePause?.(requests, call, { tool, key, resume, paused })) ?? requests;
}

/** The questions of a tool that runs. */
export function createQuestions(
  toolCall: AgentToolCall,
  batch: Omit<PausableBatch, "waiting">,
  how: Pick<QuestionedCall, "shown" | "parse">,
): ToolQuestions {
  return new ToolQuestions({
    ...how,
    toolCall,
    paused: batch.pausedCalls?.get(toolCall.id),
    key: () => createKeys(batch.context.messages)(toolCall.id),
    now: () => batch.run.now?.() ?? Date.now(),
  });
}
