/** Sends through the `openai` SDK, loaded by the first request. */
import type { SendContext, WireRequest } from "../wire-request.js";
import {
  createSdkLoader,
  type PostingClient,
  postSample,
  postThrough,
  sendPrepared,
  withoutEmptyKey,
  withoutEnvironmentHeaders,
} from "./http-sdk.js";

const loadOpenAI = createSdkLoader("openai", () => import("openai"));

/** @param client an injected client, with its own credentials and base URL */
export async function sendThroughOpenAI(
  request: WireRequest,
  io: SendContext,
  client?: PostingClient,
): Promise<Response> {
  if (client) return postThrough(client, request, io);
  const { OpenAI } = await loadOpenAI(io);
  return sendPrepared(withoutEmptyKey(request), io, ["openai"], (fetch) => {
    const options = {
      // The SDK demands a key. Without one, its header is removed.
      apiKey: request.bearerToken || request.apiKey || "none",
      // Null keeps the SDK from reading its own environment variables.
      organization: null,
      project: null,
      adminAPIKey: null,
      baseURL: request.baseUrl,
      fetch,
      maxRetries: 0,
      logLevel: "off",
      dangerouslyAllowBrowser: true,
    } as const;
    return postSample(withoutEnvironmentHeaders(new OpenAI(options)), request);
  });
}
