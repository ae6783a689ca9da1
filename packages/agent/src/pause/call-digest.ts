/** The digest of a call that waits: what each signature of its requests holds of it. */
import type { SignedCall } from "../types/pause.js";
import { digestOf } from "./digest.js";

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
