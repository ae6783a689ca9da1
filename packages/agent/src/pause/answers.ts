/** Answers to the requests of a pause: checked against the transcript, and added to it as marks. */
import { DEFAULT_MAX_JSON_DEPTH, isDeeperThan, isRecord } from "pi-ai/call";
import { type Checks, checkOptions, mayBeAnything, mustBeFunction, mustBeList, mustBeText } from "../checks.js";
import { AnswerError } from "../errors.js";
import { isEqual } from "../is-equal.js";
import type { AgentMessage } from "../types/message.js";
import type { PauseAnswer, PauseRequest, SignedCall } from "../types/pause.js";
import { createMark, type MarkMessage } from "./call-marks.js";
import { joinRecords } from "./call-records.js";
import { digestEarlierAnswers, shareDigest } from "./digests.js";
import { withOwnIds } from "./own-ids.js";
import {
  type AskedRequest,
  findPausedResponse,
  findRequests,
  isExpired,
  openRequestsOf,
  type PausedResponse,
  pendingRequests,
} from "./paused-response.js";

/** Checks that a request was not changed or forged; rejects with an {@link AnswerError} otherwise. */
export type VerifyRequest = (request: PauseRequest, call: SignedCall) => Promise<void>;

/** Options of {@link answerRequests}. */
export interface AnswerOptions {
  /** The time of the answer in Unix milliseconds. Default: `Date.now()`. */
  now?: number | undefined;
  /** Checks each request that is answered; see `verifyRequests`. Default: the transcript is trusted. */
  verify?: VerifyRequest | undefined;
}

/** A misspelt `verify` would take what a page has forged. */
const OPTIONS: Checks<keyof AnswerOptions> = { now: mayBeAnything, verify: mustBeFunction };

/**
 * Returns a conversation with answers to its open requests. Run `agentLoopContinue` on it, or set it as the messages of an
 * agent and call `continue()`. An answer that the conversation has already is ignored, so a page may send it twice. Requests
 * without an answer stay open.
 *
 * Rejects with an {@link AnswerError} that says which answer is wrong and why; no answer counts then.
 *
 * @example
 * const next = await answerRequests(messages, [{ id: "call_1", approved: true }]);
 */
export async function answerRequests(
  messages: readonly AgentMessage[],
  answers: readonly PauseAnswer[],
  options: AnswerOptions = {},
): Promise<AgentMessage[]> {
  mustBeList("messages", messages);
  checkOptions(options, OPTIONS);
  const { now = Date.now(), verify } = options;
  const named = withOwnIds(messages);
  await verifyAnswered(named, answers, verify);
  return joinRecords([...named, ...createAnswers(named, answers, now)]);
}

/** Returns a conversation whose open requests are all declined. */
export function declineRequests(
  messages: readonly AgentMessage[],
  reason?: string,
  now: number = Date.now(),
): AgentMessage[] {
  mustBeList("messages", messages);
  if (reason !== undefined) mustBeText("reason", reason);
  const named = withOwnIds(messages);
  return joinRecords([...named, ...createDeclines(named, { reason }, now)]);
}

/** Verifies the open requests that are about to be answered. */
export async function verifyAnswered(
  messages: readonly AgentMessage[],
  answers: readonly PauseAnswer[],
  verify: VerifyRequest | undefined,
): Promise<void> {
  assertList(answers);
  const paused = verify && findPausedResponse(messages);
  if (!(paused && verify)) return;
  const ids = new Set(answers.map((answer) => answer?.id));
  for (const { call, key, marks, answers: given } of paused.calls.values()) {
    const isOpen = ({ id }: PauseRequest): boolean => ids.has(id) && !given.has(id);
    if (!marks.some(({ requests }) => requests.some(isOpen))) continue;
    const digests = await digestEarlierAnswers(marks, given);
    for (const [index, { requests, resume }] of marks.entries()) {
      const signed = shareDigest({ ...call, key, resume, earlier: digests[index] ?? "" });
      for (const request of requests.filter(isOpen)) await verify(request, signed);
    }
  }
}

/** @throws AnswerError */
export function createAnswers(
  messages: readonly AgentMessage[],
  answers: readonly PauseAnswer[],
  now: number,
): MarkMessage[] {
  const paused = findPausedResponse(messages);
  let known: ReadonlyMap<string, AskedRequest> | undefined;
  const open = new Map(pendingRequests(messages).map((request) => [request.id, request]));
  const given = new Map<string, PauseAnswer>();
  for (const answer of answers) {
    const sent = readAnswer(answer);
    const { signature: _signature, ...read } = sent;
    const before = given.get(read.id);
    if (before && !isSame(before, read))
      throw new AnswerError("conflict", read.id, "the list has another answer to it, too");
    const request = open.get(read.id);
    if (request) {
      assertFits(request, sent, now);
      given.set(read.id, read);
    } else {
      known ??= findRequests(messages);
      assertKnown(known.get(read.id), read);
    }
  }
  return paused ? toMarks(paused, given, now) : [];
}

/** The marks that decline everything that is open. */
export function createDeclines(
  messages: readonly AgentMessage[],
  { reason, cancelled }: { reason?: string | undefined; cancelled?: boolean },
  now: number,
): MarkMessage[] {
  const paused = findPausedResponse(messages);
  if (!paused) return [];
  const declined = { approved: false, ...(reason && { reason }), ...(cancelled && { cancelled }) };
  return toMarks(paused, new Map(pendingRequests(messages).map(({ id }) => [id, { id, ...declined }])), now);
}

const EXPIRED: Omit<PauseAnswer, "id"> = {
  approved: false,
  reason: "No answer came in time",
  cancelled: true,
};

/** The marks that answer what nobody has answered in time. */
export function createExpiries(paused: PausedResponse, now: number): MarkMessage[] {
  const expired = [...paused.calls.values()].flatMap(openRequestsOf).filter((request) => isExpired(request, now));
  const answers = expired.map(({ id, default: given = EXPIRED }) => [id, { ...given, id }] as const);
  return toMarks(paused, new Map(answers), now);
}

/** One mark for each call that has an answer. */
function toMarks({ calls }: PausedResponse, given: ReadonlyMap<string, PauseAnswer>, now: number): MarkMessage[] {
  const marks: MarkMessage[] = [];
  for (const { call, requests } of calls.values()) {
    const answers = requests.flatMap((request) => given.get(request.id) ?? []);
    if (answers.length > 0) marks.push(createMark(call, { state: "answered", answers }, { timestamp: now }));
  }
  return marks;
}

/** A page sent it. */
function assertList(answers: unknown): void {
  if (!Array.isArray(answers)) throw new AnswerError("invalid", "", "the answers must be a list");
}

/** Of the arguments and the value in a list. */
const MAX_ANSWER_DEPTH: number = DEFAULT_MAX_JSON_DEPTH + 1;

/** Every field is checked: a page sent it. */
function readAnswer(answer: unknown): PauseAnswer {
  if (!isRecord(answer) || typeof answer["id"] !== "string")
    throw new AnswerError("unknown", "", "an answer must have the `id` of a request");
  const { id, approved, reason, cancelled, arguments: args, value, signature, by } = answer;
  if (approved === true && cancelled === true) throw new AnswerError("conflict", id, "it approves, and cancels");
  // A misspelt field would decline without a word.
  if (!("approved" in answer) && cancelled !== true)
    throw new AnswerError("invalid", id, "it needs `approved`: true or false");
  checkArguments(id, answer);
  if (isDeeperThan([args, value], MAX_ANSWER_DEPTH))
    throw new AnswerError("invalid", id, `it is nested deeper than ${DEFAULT_MAX_JSON_DEPTH} levels`);
  return {
    id,
    approved: approved === true,
    ...(typeof reason === "string" && reason !== "" && { reason }),
    ...(cancelled === true && { cancelled }),
    ...(isRecord(args) && { arguments: args }),
    ...(value !== undefined && { value }),
    ...(typeof signature === "string" && { signature }),
    ...(typeof by === "string" && by !== "" && { by }),
  };
}

function assertFits(request: PauseRequest, { id, arguments: args, signature }: PauseAnswer, now: number): void {
  if (signature !== undefined && signature !== request.signature)
    throw new AnswerError("forged", id, "it is the answer to another request");
  if (isExpired(request, now)) throw new AnswerError("expired", id, "its time is over");
  if (args && (request.kind !== "approval" || request.path))
    throw new AnswerError("invalid", id, "only the arguments of an approval of this agent's own tools can be changed");
}

/** An answer that the conversation has already is ignored. */
function assertKnown(found: AskedRequest | undefined, answer: PauseAnswer): void {
  if (!found) throw new AnswerError("unknown", answer.id, "the conversation has no such request");
  if (!found.answer) throw new AnswerError("stale", answer.id, "the conversation has gone on without it");
  if (!isSame(found.answer, answer)) throw new AnswerError("stale", answer.id, "it was answered before, otherwise");
}

/** Two people may give the same answer. */
function isSame({ by: _one, ...one }: PauseAnswer, { by: _other, ...other }: PauseAnswer): boolean {
  return isEqual(one, other, MAX_ANSWER_DEPTH + 1);
}

function checkArguments(id: string, { arguments: args, args: misspelt }: Readonly<Record<string, unknown>>): void {
  if (args !== undefined && !isRecord(args)) throw new AnswerError("invalid", id, "`arguments` must be an object");
  // The call would run with the arguments that nobody wanted.
  if (args === undefined && misspelt !== undefined)
    throw new AnswerError("invalid", id, "`args` is no field of an answer: write `arguments`");
}
