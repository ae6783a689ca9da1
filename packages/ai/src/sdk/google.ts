/** Sends through `@google/genai`, loaded by the first request. */
import type { SendContext, WireRequest } from "../transport/wire-request.js";
import { generateSample } from "./google-client.js";
import { createSdkLoader } from "./load-sdk.js";
import { sendPrepared } from "./prepared-request.js";

const loadGoogle = createSdkLoader("@google/genai", () => import("@google/genai/web"));

/** The SDK requires a key even if the credentials are in a header. */
const NO_KEY = "none";

export interface GoogleSendOptions {
  /** Uses the URLs of Vertex AI. */
  vertexai?: boolean;
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
