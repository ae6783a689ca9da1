/** Sends through `@google/genai`, loaded at the first call. */
import { ProtocolError } from "../errors.js";
import type { SendContext, WireRequest } from "../transport/wire-request.js";
import { loadSdk } from "./load-sdk.js";

/** The SDK wants a key also where the credentials are in a header. */
const NO_KEY = "none";
const KEY_HEADER = "x-goog-api-key";
/** The SDK wants contents of its own shape; the body that is sent is the request's. */
const STAND_IN = [{ role: "user", parts: [{ text: "" }] }];

export interface GoogleSendOptions {
  /** Address models as Vertex AI does. */
  vertexai?: boolean;
}

/**
 * Uses the SDK's build for the web, which reads neither files nor environment variables. The SDK does not hand out the
 * raw answer, so it is taken from under it.
 */
export async function sendThroughGoogle(
  request: WireRequest,
  io: SendContext,
  { vertexai = false }: GoogleSendOptions = {},
): Promise<Response> {
  const { GoogleGenAI } = await loadSdk("@google/genai", () => import("@google/genai/web"));
  let answer: Response | undefined;
  let failure: { error: unknown } | undefined;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    try {
      const headers = mergeHeaders(init?.headers, request);
      answer = await io.fetch(input, { ...init, headers, body: JSON.stringify(request.body), signal: io.signal });
      return new Response(null);
    } catch (error) {
      failure = { error };
      throw error;
    }
  };
  const client = new GoogleGenAI({
    apiKey: request.apiKey || NO_KEY,
    vertexai,
    httpOptions: { baseUrl: request.baseUrl, apiVersion: "", fetch },
  });
  try {
    await client.models.generateContentStream({ model: modelOf(request), contents: STAND_IN });
  } catch (error) {
    throw failure ? failure.error : error;
  }
  if (!answer) throw new ProtocolError("The @google/genai SDK sent no request", { retryable: false });
  return answer;
}

/** The SDK makes the path of the model's name. */
function modelOf({ path }: WireRequest): string {
  return path.slice(1).replace(/:\w+$/, "");
}

function mergeHeaders(given: RequestInit["headers"], request: WireRequest): Headers {
  const headers = new Headers(given);
  if (!request.apiKey) headers.delete(KEY_HEADER);
  if (request.bearerToken) headers.set("authorization", `Bearer ${request.bearerToken}`);
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === null) headers.delete(name);
    else headers.set(name, value);
  }
  return headers;
}
