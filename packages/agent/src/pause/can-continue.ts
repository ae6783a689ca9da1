/** Whether a conversation that has paused can go on: by answers, or because the user has written since. */
import { AgentStateError } from "../errors.js";
import type { AgentMessage } from "../types/message.js";
import type { OnNewMessage } from "../types/pause.js";
import {
  findPausedResponse,
  isExpired,
  openRequestsOf,
  type PausedResponse,
  pendingRequests,
} from "./paused-response.js";

/** The ids of the calls that can run: those with all of their answers, by the time `now`, and agents with one of them. */
export function findRunnable({ calls }: PausedResponse, now: number): Set<string> {
  const runnable = new Set<string>();
  let isBlocked = false;
  for (const [id, call] of calls) {
    const isOpen = !openRequestsOf(call).every((request) => isExpired(request, now));
    // A call of a sequential batch waits for those before it.
    const isAgent = call.requests.some(({ path }) => path);
    const waitsForOrder = isBlocked && call.requests.at(-1)?.kind === "order";
    if (isOpen ? isAgent && call.hasNews : !waitsForOrder) runnable.add(id);
    isBlocked ||= isOpen;
  }
  return runnable;
}

/** Whether the user has written a message since the response that has paused. */
function hasNewMessage(messages: readonly AgentMessage[], { message }: PausedResponse): boolean {
  const since = messages.slice(messages.lastIndexOf(message));
  return since.some((one) => one.role === "user" && one.origin === undefined);
}

/** Whether the user has written since the conversation has paused, or does so now. The results of the calls come after that message. */
export function hasMessageSincePause(messages: readonly AgentMessage[], hasPrompts: boolean): boolean {
  const paused = findPausedResponse(messages);
  return paused !== undefined && (hasPrompts || hasNewMessage(messages, paused));
}

/** @throws AgentStateError if the conversation waits for answers and has no new one */
export function assertAnswered(
  messages: readonly AgentMessage[],
  { now, onNewMessage }: { now: number; onNewMessage: OnNewMessage | undefined },
): void {
  if (!canContinue(messages, { now, onNewMessage }))
    throw new AgentStateError(describeOpen(messages, "Cannot continue"));
}

/** Whether a conversation does not wait, or has an answer with which it can go on. */
export function canContinue(
  messages: readonly AgentMessage[],
  { now, onNewMessage }: { now: number; onNewMessage: OnNewMessage | undefined },
): boolean {
  const paused = findPausedResponse(messages);
  if (!paused || (onNewMessage === "decline" && hasNewMessage(messages, paused))) return true;
  const hasNews = [...paused.calls.values()].some((call) => call.hasNews);
  return hasNews || findRunnable(paused, now).size > 0;
}

/** The text for what is not possible while a request is open, with the line to write. */
export function describeOpen(messages: readonly AgentMessage[], problem: string): string {
  const requests = pendingRequests(messages);
  const [first] = requests;
  const waits = requests.length === 1 ? "an answer" : `${requests.length} answers`;
  return (
    `${problem}: the conversation waits for ${waits}. Write agent.answer([{ id: ${JSON.stringify(first?.id)}, approved: true }]) ` +
    'and agent.continue(), agent.declineAll(), or set onNewMessage to "decline".'
  );
}
