/** Sends through the Azure client of the `openai` SDK, loaded by the first request. */
import type { SendContext, WireRequest } from "../wire-request.js";
import { createSdkLoader, type PostingClient, postSample, postThrough, sendPrepared } from "./http-sdk.js";

const loadOpenAI = createSdkLoader("openai", () => import("openai"));

/**
 * @param apiVersion sent as the query parameter `api-version`
 * @param client an injected client, with its own credentials, base URL and version
 */
export async function sendThroughAzureOpenAI(
  request: WireRequest,
  io: SendContext,
  apiVersion: string,
  client?: PostingClient,
): Promise<Response> {
  if (client) return postThrough(client, request, io);
  const { AzureOpenAI } = await loadOpenAI(io);
  return sendPrepared(request, io, ["azure", apiVersion], (fetch) => {
    const options = {
      apiKey: request.apiKey ?? "",
      apiVersion,
      // Null keeps the SDK from reading its own environment variables.
      organization: null,
      project: null,
      baseURL: request.baseUrl,
      fetch,
      maxRetries: 0,
      logLevel: "off",
      dangerouslyAllowBrowser: true,
    } as const;
    return postSample(new AzureOpenAI(options), request);
  });
}
