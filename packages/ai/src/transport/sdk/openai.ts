/** Sends through the `openai` SDK, to OpenAI and to Azure. The first request loads it. */
import type { SendContext, WireRequest } from "../wire-request.js";
import { createSdkLoader, type PostingClient, postSample, postThrough, withoutEnvironmentHeaders } from "./http-sdk.js";
import { sendPrepared, withoutEmptyKey } from "./prepared-request.js";

const loadOpenAI = createSdkLoader("openai", () => import("../../vendor/openai.js"));

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
