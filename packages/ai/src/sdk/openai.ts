/** Sends through the `openai` SDK, loaded by the first request. */
import type { SendContext, WireRequest } from "../transport/wire-request.js";
import { type PostingClient, postThrough, withoutEnvironmentHeaders } from "./http-sdk.js";
import { createSdkLoader } from "./load-sdk.js";

const loadOpenAI = createSdkLoader("openai", () => import("openai"));

/** @param client an injected client, with its own credentials and base URL */
export async function sendThroughOpenAI(
  request: WireRequest,
  io: SendContext,
  client?: PostingClient,
): Promise<Response> {
  if (client) return postThrough(() => client, request, io);
  const { OpenAI } = await loadOpenAI();
  const create = (fetch: typeof globalThis.fetch): PostingClient =>
    withoutEnvironmentHeaders(
      new OpenAI({
        apiKey: request.bearerToken ?? request.apiKey ?? "",
        // Null keeps the SDK from reading its own environment variables.
        organization: null,
        project: null,
        adminAPIKey: null,
        baseURL: request.baseUrl,
        fetch,
        maxRetries: 0,
        logLevel: "off",
        dangerouslyAllowBrowser: true,
      }),
    );
  return postThrough(create, request, io);
}
