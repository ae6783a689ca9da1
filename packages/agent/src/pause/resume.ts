/** How a conversation that has paused goes on: which of its calls run, and what becomes of the others. */
import type { AssistantMessage } from "pi-ai";
import { isRecord } from "pi-ai/call";
import { AgentStateError } from "../errors.js";
import type { AgentMessage, AgentToolCall } from "../types/message.js";
import type { OnNewMessage, PauseAnswer, PausedCall } from "../types/pause.js";
import { createDeclines, createExpiries } from "./answers.js";
import { isMark, type MarkMessage, type RecordedResult } from "./call-marks.js";
import { describeOpen, findRunnable } from "./can-continue.js";
import { findPausedResponse, openRequestsOf } from "./paused-response.js";
import { findToolCalls } from "./response-calls.js";

/** How a conversation that has paused goes on. */
export interface ResumePlan {
  /** The response of the calls. */
  readonly message: AssistantMessage;
  /** Answers that nobody gave, such as those of requests whose time is over. */
  readonly marks: readonly MarkMessage[];
  /** By their ids. */
  readonly pausedCalls: ReadonlyMap<string, PausedCall>;
  /** The ids of those that can run. */
  readonly runnable: ReadonlySet<string>;
  /** Whether the user has written a message since, so that no call waits again. */
  readonly hasNewMessage: boolean;
}

const LEFT = "The user wrote a new message instead";

/** The text of the result of a call that would ask when the user has written a message already. */
export function describeLeftBehind(name: string): string {
  return describeDecline(`The call of ${name}`, { reason: LEFT });
}

/**
 * Plans how a conversation goes on that has paused; undefined for one that has not.
 *
 * @param hasNewMessage see {@link ResumePlan}
 * @throws AgentStateError if a new message is refused because a request is open
 */
export function planResume(
  messages: readonly AgentMessage[],
  { now, onNewMessage, hasNewMessage }: { now: number; onNewMessage: OnNewMessage | undefined; hasNewMessage: boolean },
): ResumePlan | undefined {
  const paused = findPausedResponse(messages);
  if (!paused) return undefined;
  const marks = createExpiries(paused, now);
  const isOpen = [...paused.calls.values()].some((call) => openRequestsOf(call).length > 0);
  if (isOpen && hasNewMessage) {
    if (onNewMessage !== "decline") throw new AgentStateError(describeOpen(messages, "Cannot take a message"));
    const instead = { reason: LEFT, cancelled: true };
    marks.push(...createDeclines([...messages, ...marks], instead, now));
  }
  const answered = findPausedResponse([...messages, ...marks]) ?? paused;
  const { message, calls: pausedCalls } = answered;
  return { message, marks, pausedCalls, runnable: findRunnable(answered, now), hasNewMessage };
}

/** The calls that run now. What was checked is the call that runs, with the arguments that the user has changed. */
export function callsToRun({ message, pausedCalls, runnable }: ResumePlan): AgentToolCall[] {
  const found = findToolCalls(message).filter(({ id }) => runnable.has(id));
  return found.map((toolCall) => {
    const paused = pausedCalls.get(toolCall.id);
    return withChanges(paused?.call ?? toolCall, paused);
  });
}

/** The call with the arguments that the user has changed. The transcript keeps the model's. */
function withChanges(toolCall: AgentToolCall, paused: PausedCall | undefined): AgentToolCall {
  const args = findChange(paused)?.arguments;
  if (!args) return toolCall;
  const { argumentsError: _error, argumentsText: _text, ...call } = toolCall;
  return { ...call, arguments: args };
}

/** Only the approval of the call itself can change its arguments: the answer to a question of its tool cannot. */
function findChange(paused: PausedCall | undefined): PauseAnswer | undefined {
  for (const { id, kind, path } of paused?.requests ?? []) {
    const answer = kind === "approval" && !path ? paused?.answers.get(id) : undefined;
    if (answer?.approved === true && isRecord(answer.arguments)) return answer;
  }
  return undefined;
}

/** Whether the results of a response, of this run and of those before it, all ask for the end of the run. */
export function allTerminate(messages: readonly AgentMessage[], response: AssistantMessage): boolean {
  const since = messages.slice(messages.lastIndexOf(response) + 1);
  const asking = since.filter((one) => one.role === "toolResult" && !isMark(one) && terminates(one));
  return asking.length === findToolCalls(response).length;
}

function terminates({ terminate }: RecordedResult): boolean {
  return terminate === true;
}

/** The text that tells the model of arguments that the user has changed; undefined if the user has changed none. */
export function describeChange(paused: PausedCall | undefined): string | undefined {
  const change = findChange(paused);
  return change && `The user changed the arguments of this call to ${JSON.stringify(change.arguments)}.`;
}

/** Whether the user has approved the call. */
export function isApproved({ requests, answers }: PausedCall): boolean {
  return requests.some(({ kind, path, id }) => kind === "approval" && !path && answers.get(id)?.approved === true);
}

/** The text of the result of a call that the user has declined; undefined for any other. */
export function describeDeclinedCall(name: string, paused: PausedCall | undefined): string | undefined {
  for (const { kind, path, id } of paused?.requests ?? []) {
    const answer = paused?.answers.get(id);
    if (kind === "approval" && !path && answer && !answer.approved)
      return describeDecline(`The call of ${name}`, answer);
  }
  return undefined;
}

/** The text of a refusal, for the model. */
export function describeDecline(what: string, { reason }: Pick<PauseAnswer, "reason">): string {
  return `${what} was declined${reason ? `: ${reason}` : ""}`;
}

/** The text of the result of a call that may have run in a process that died. */
export function describeUnknownEffect(name: string): string {
  return (
    `The process ended while ${name} was about to run or running. It may have run: whether it took effect is not ` +
    "known. Find out before you call it again."
  );
}
