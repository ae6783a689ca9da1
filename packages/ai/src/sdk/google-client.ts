/** Prepares requests with either build of `@google/genai`. */
import type { SendContext, WireRequest } from "../transport/wire-request.js";
import { captureRequest, sendAs } from "./prepared-request.js";

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
/** Contents in the form that the SDK requires. They are not sent. */
const STAND_IN = [{ role: "user", parts: [{ text: "" }] }];

/** Sends with the address and the authorization of the client. Its tokens expire, so each request asks for them. */
export async function sendThroughClient(
  client: GoogleClient,
  request: WireRequest,
  io: SendContext,
): Promise<Response> {
  const prepared = await captureRequest((fetch) => generateSample(client, request, fetch));
  const token = prepared.headers["authorization"]?.replace(/^Bearer /, "");
  if (token) io.hide(token);
  return sendAs(prepared, request, io);
}

/** Lets a client generate something else, to see what it would send. Of the request, it reads the model only. */
export async function generateSample(
  client: GoogleClient,
  request: WireRequest,
  fetch: typeof globalThis.fetch,
): Promise<void> {
  const capture: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    if (!request.apiKey) headers.delete(KEY_HEADER);
    return fetch(input, { ...init, headers });
  };
  const httpOptions = { baseUrl: request.baseUrl, apiVersion: "", fetch: capture };
  await client.models.generateContentStream({ model: modelOf(request), contents: STAND_IN, config: { httpOptions } });
}

/** Returns the model name from which the SDK builds the path. */
function modelOf({ path }: WireRequest): string {
  return path.slice(1).replace(/:\w+$/, "");
}
