/** Sends through either build of `@google/genai` and captures the raw response. */
import { ProtocolError } from "../errors.js";
import type { SendContext, WireRequest } from "../transport/wire-request.js";

/** The methods of a client that are used. */
export interface GoogleClient {
  models: { generateContentStream(parameters: StreamParameters): Promise<unknown> };
}

interface StreamParameters {
  model: string;
  contents: { role: string; parts: { text: string }[] }[];
  config: { httpOptions: { baseUrl: string; apiVersion: string; fetch: typeof globalThis.fetch } };
}

const KEY_HEADER = "x-goog-api-key";
/** Contents in the form that the SDK requires. The body of the request is sent instead. */
const STAND_IN = [{ role: "user", parts: [{ text: "" }] }];

/**
 * The client builds the URL and authorizes the request. Errors of our `fetch` are rethrown unchanged, because the SDK
 * would wrap them.
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

/** Returns the model name from which the SDK builds the path. */
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
