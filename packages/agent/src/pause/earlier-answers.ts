/** The answers that a user gave before a call asked again. They decide what runs, and a page could change them, so a signature holds them. */
import type { PauseAnswer, PausedCall, WaitingCall } from "../types/pause.js";
import { digestOf } from "./digest.js";

/**
 * Digests of the answers before each of the marks; empty before the first one. The requests of an agent that a tool runs are left
 * out: its conversation has their answers, and is signed as a whole.
 */
export async function earlierAnswers(
  marks: readonly WaitingCall[],
  answers: PausedCall["answers"] = new Map(),
): Promise<string[]> {
  // A request that is asked again was open until then.
  const lastOf = new Map<string, WaitingCall>();
  for (const mark of marks)
    for (const { id, kind, path } of mark.requests) if (kind !== "order" && !path) lastOf.set(id, mark);
  const digests: string[] = [];
  let digest = "";
  for (const mark of marks) {
    digests.push(digest);
    const given = mark.requests.filter(({ id }) => lastOf.get(id) === mark && answers.has(id));
    if (given.length > 0) digest = await digestOf([digest, given.map(({ id }) => readAnswer(answers.get(id)))]);
  }
  return digests;
}

/** Without who has answered, which is for records. */
function readAnswer({ by: _by, signature: _signature, ...answer }: Partial<PauseAnswer> = {}): object {
  return answer;
}
