/** Sends through `@google/genai`, loaded by the first request. */
import { collectSecrets } from "../../utils/redact.js";
import type { SendContext, WireRequest } from "../wire-request.js";
import { createSdkLoader } from "./http-sdk.js";
import { captureRequest, sendAs, sendPrepared } from "./prepared-request.js";

const loadGoogle = createSdkLoader("@google/genai", () => import("../../vendor/google.js"));

/** The SDK requires a key even if the credentials are in a header. */
const NO_KEY = "none";

export interface GoogleSendOptions {
  /** Uses the URLs of Vertex AI. */
  vertexai?: boolean | undefined;
}

/** Uses the SDK's build for the web, which reads neither files nor environment variables. */
export async function sendThroughGoogle(
  request: WireRequest,
  io: SendContext,
  { vertexai = false }: GoogleSendOptions = {},
): Promise<Response> {
  const { GoogleGenAI } = await loadGoogle(io);
  return sendPrepared(request, io, ["google", vertexai], async (fetch) => {
    const httpOptions = { baseUrl: request.baseUrl, apiVersion: "" };
    const client = new GoogleGenAI({ apiKey: request.apiKey || NO_KEY, vertexai, httpOptions });
    await generateSample(client, request, fetch);
  });
}

// Prepares requests with either build of `@google/genai`.

/** The method of a client of `@google/genai` that is used. */
export interface GoogleClient {
  /** Its models, as in `client.models`. */
  models: {
    /** Sends the contents, here placeholders, through the given `fetch`. */
    generateContentStream(parameters: GoogleStreamParameters): Promise<unknown>;
  };
}

/** The arguments of a call of {@link GoogleClient}. */
export interface GoogleStreamParameters {
  /** The name of the model, such as `models/gemini-4-hydrogen`. */
  model: string;
  /** Placeholders. */
  contents: { role: string; parts: { text: string }[] }[];
  /** `fetch` notes the URL and the headers, and sends nothing. */
  config: { httpOptions: { baseUrl?: string; apiVersion?: string; fetch: typeof globalThis.fetch } };
}

const KEY_HEADER = "x-goog-api-key";
/** Placeholder contents, because the SDK requires some. They are not sent. */
const STAND_IN = [{ role: "user", parts: [{ text: "" }] }];

/** Sends with the URL and the authorization of the client. Tokens expire, so each request asks the client for them. */
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

/** Sends with the address and the credentials of an injected client, and does not load our copy of the SDK. */
export async function sendThroughInjectedClient(
  client: GoogleClient,
  request: WireRequest,
  io: SendContext,
): Promise<Response> {
  const prepared = await captureRequest((fetch) =>
    client.models.generateContentStream({
      model: modelOf(request),
      contents: STAND_IN,
      config: { httpOptions: { fetch } },
    }),
  );
  for (const secret of collectSecrets([], prepared.headers)) io.hide(secret);
  return sendAs(prepared, request, io);
}

/** Makes a client send placeholder contents, to capture its URL and headers. It reads only the model of the request. */
async function generateSample(
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
