/** Signatures of requests: HMAC-SHA-256 by the Web Crypto API, which every runtime has. */
import { readParameters } from "pi-ai/call";
import { AnswerError } from "../errors.js";
import type { PauseRequest, SignedCall } from "../types/pause.js";
import type { AnyAgentTool } from "../types/tool.js";
import type { VerifyRequest } from "./answers.js";
import { toCanonicalJson } from "./canonical-json.js";
import { digestOf, digestOfCall, toBase64Url } from "./digests.js";

/** A secret of at least 32 bytes; a string counts as UTF-8. */
export type PauseSecret = string | Uint8Array;

const LEAST_BYTES = 32;

/** The description of a tool by itself. */
type SignedTool = Pick<AnyAgentTool, "name" | "description" | "parameters">;

/** Signs and verifies the requests of one conversation. */
export interface RequestSigner {
  /** Returns requests that are asked at once with their signatures, which begin alike: see `useOf`. */
  sign(
    requests: readonly PauseRequest[],
    call: SignedCall,
    tool: SignedTool | undefined,
  ): Promise<readonly PauseRequest[]>;
  /** Returns whether the signature is that of this request, call and tool. */
  isGenuine(request: PauseRequest, call: SignedCall, tool?: SignedTool): Promise<boolean>;
}

/** @throws TypeError for a secret that is too short */
export function readSecret(secret: PauseSecret): Uint8Array<ArrayBuffer> {
  const bytes = typeof secret === "string" ? new TextEncoder().encode(secret) : secret;
  if (!(bytes instanceof Uint8Array) || bytes.length < LEAST_BYTES)
    throw new TypeError(`secret must have at least ${LEAST_BYTES} bytes, such as those of crypto.randomBytes(32)`);
  return Uint8Array.from(bytes);
}

/** @param conversation identifies the conversation: the `sessionId` of the agent */
export function createSigner(secret: PauseSecret, conversation: string | undefined): RequestSigner {
  const bytes = readSecret(secret);
  let key: Promise<CryptoKey> | undefined;
  const keyOf = (): Promise<CryptoKey> => {
    key ??= crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
    return key;
  };
  const digests = new WeakMap<SignedTool, Promise<string>>();
  const digestOfTool = async (tool: SignedTool | undefined): Promise<string> => {
    const known = tool && digests.get(tool);
    if (known) return known;
    const digest = createDigest(tool);
    if (tool) digests.set(tool, digest);
    return digest;
  };
  return {
    sign: async (requests, call, tool) => {
      // Two requests are never the same, even if a conversation begins anew and repeats its ids.
      const random = toBase64Url(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));
      const nonce = `${random}${await digestOfTool(tool)}`;
      const bySecret = await keyOf();
      const digest = await digestOfCall(call);
      const signed = requests.map(async (request) => {
        const mac = await crypto.subtle.sign("HMAC", bySecret, toSigned(request, digest, [conversation, nonce]));
        return { ...request, signature: `${nonce}.${toBase64Url(new Uint8Array(mac))}` };
      });
      return Promise.all(signed);
    },
    isGenuine: async (request, call, tool) => {
      const { signature } = request;
      const [, nonce, mac] = (typeof signature === "string" && SIGNATURE.exec(signature)) || [];
      if (!(nonce && mac)) return false;
      if (tool && !nonce.endsWith(await digestOfTool(tool))) return false;
      const signed = toSigned(request, await digestOfCall(call), [conversation, nonce]);
      return crypto.subtle.verify("HMAC", await keyOf(), fromBase64Url(mac), signed);
    },
  };
}

const NONCE_BYTES = 16;
/** Of the digest of a tool, in base64url. */
const DIGEST_LENGTH = 22;
/** A random text, the digest of the tool, and the code, in base64url. */
const SIGNATURE = /^([\w-]{44})\.([\w-]{43})$/;

/** A tool that has another description or other parameters than when the user was asked is another tool. */
async function createDigest(tool: SignedTool | undefined): Promise<string> {
  const { name, description, parameters } = tool ?? {};
  const digest = await digestOf([name, description, tool && parameters ? plainSchema(tool.name, parameters) : null]);
  return digest.slice(0, DIGEST_LENGTH);
}

/** A schema of a library as JSON; null if it cannot be written so. */
function plainSchema(name: string, parameters: object): unknown {
  try {
    return JSON.parse(JSON.stringify(readParameters({ name, parameters })));
  } catch {
    return null;
  }
}

/**
 * Everything that must not change. The arguments in the request are for people, and are signed only for the call of an agent that
 * a tool runs, which the transcript does not show.
 */
function toSigned(
  request: PauseRequest,
  call: string,
  context: readonly (string | undefined)[],
): Uint8Array<ArrayBuffer> {
  const { id, kind, toolCallId, toolName, message, schema, url, path, expiresAt } = request;
  const parts = [id, kind, toolCallId, toolName, message, schema, url, path, expiresAt, request.default];
  const all = { version: 4, context, parts, call, shown: path ? request.arguments : null };
  return new TextEncoder().encode(toCanonicalJson(all));
}

/**
 * Returns a function that verifies requests before they are answered, for `answerRequests`.
 *
 * @param conversation the `sessionId` of the agent that has made the requests
 */
export function verifyRequests(secret: PauseSecret, conversation?: string): VerifyRequest {
  const signer = createSigner(secret, conversation);
  return async (request, call) => {
    if (!(await signer.isGenuine(request, call)))
      throw new AnswerError(
        "forged",
        request.id,
        "the request was changed, or belongs to another call or conversation",
      );
  };
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
}
