/** What signatures hold of a call that waits: digests of the call, of its tool, and of the answers before it asked again. */
import type { PauseAnswer, PausedCall, SignedCall, WaitingCall } from "../types/pause.js";
import { toCanonicalJson } from "./canonical-json.js";

/** SHA-256, in base64url. */
export async function digestOf(value: unknown): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(toCanonicalJson(value)));
  return toBase64Url(new Uint8Array(bytes));
}

export function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

const shared = /* @__PURE__ */ new WeakMap<SignedCall, { digest?: Promise<string> }>();

/**
 * Lets the digest of a call be made once for all of its requests, each of which would read its arguments and what its tool has
 * kept. Only for an object of the caller's own: a digest of another one may be older than the object.
 */
export function shareDigest(call: SignedCall): SignedCall {
  shared.set(call, {});
  return call;
}

/**
 * The arguments are those of the model in the transcript: what runs is made from them. What a tool has kept to go on decides what
 * runs, too. The signature of a tool of the provider is what the provider gets back.
 */
export function digestOfCall(call: SignedCall): Promise<string> {
  const { id, name, arguments: args, serverTool, key, resume, earlier } = call;
  const known = shared.get(call);
  if (known?.digest) return known.digest;
  const digest = digestOf([id, name, args, key, resume, serverTool ? [serverTool.signature] : null, earlier || null]);
  if (known) known.digest = digest;
  return digest;
}

/**
 * Digests of the answers before each of the marks; empty before the first one. The requests of an agent that a tool runs are left
 * out: its conversation has their answers, and is signed as a whole.
 */
export async function digestEarlierAnswers(
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
    if (given.length > 0) digest = await digestOf([digest, given.map(({ id }) => signedPart(answers.get(id)))]);
  }
  return digests;
}

/** Without who has answered, which is for records. */
function signedPart({ by: _by, signature: _signature, ...answer }: Partial<PauseAnswer> = {}): object {
  return answer;
}
