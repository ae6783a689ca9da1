/** What the two builds of `@google/genai` have in common: they send, and the raw answer is taken from under them. */
import { ProtocolError } from "../errors.js";
import type { SendContext, WireRequest } from "../transport/wire-request.js";

/** The part of a client that is used. */
export interface GoogleClient {
  models: { generateContentStream(parameters: StreamParameters): Promise<unknown> };
}

interface StreamParameters {
  model: string;
  contents: { role: string; parts: { text: string }[] }[];
  config: { httpOptions: { baseUrl: string; apiVersion: string; fetch: typeof globalThis.fetch } };
}

const KEY_HEADER = "x-goog-api-key";
/** The SDK wants contents of its own shape; the body that is sent is the request's. */
const STAND_IN = [{ role: "user", parts: [{ text: "" }] }];

/**
 * The client addresses and authorizes the request. What went wrong below it is thrown as it was: the SDK's own wrapping
 * would hide it.
 */
export async function sendThroughClient(
  client: GoogleClient,
  request: WireRequest,
  io: SendContext,
): Promise<Response> {
  let response: Response | undefined;
  let failure: { error: unknown } | undefined;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    try {
      const headers = mergeHeaders(init?.headers, request, io);
      response = await io.fetch(input, { ...init, headers, body: JSON.stringify(request.body), signal: io.signal });
      return new Response(null);
    } catch (error) {
      failure = { error };
      throw error;
    }
  };
  const httpOptions = { baseUrl: request.baseUrl, apiVersion: "", fetch };
  try {
    await client.models.generateContentStream({ model: modelOf(request), contents: STAND_IN, config: { httpOptions } });
  } catch (error) {
    throw failure ? failure.error : error;
  }
  if (!response) throw new ProtocolError("The @google/genai SDK sent no request", { retryable: false });
  return response;
}

/** The SDK makes the path of the model's name. */
function modelOf({ path }: WireRequest): string {
  return path.slice(1).replace(/:\w+$/, "");
}

function mergeHeaders(given: RequestInit["headers"], request: WireRequest, io: SendContext): Headers {
  const headers = new Headers(given);
  if (!request.apiKey) headers.delete(KEY_HEADER);
  const token = headers.get("authorization")?.replace(/^Bearer /, "");
  if (token) io.hide(token);
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === null) headers.delete(name);
    else headers.set(name, value);
  }
  return headers;
}
