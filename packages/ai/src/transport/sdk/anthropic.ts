/** Sends through `@anthropic-ai/sdk`, loaded by the first request. */
import type { SendContext, WireRequest } from "../wire-request.js";
import { createSdkLoader, type PostingClient, postSample, postThrough, withoutEnvironmentHeaders } from "./http-sdk.js";
import { sendPrepared, withoutEmptyKey } from "./prepared-request.js";

const loadAnthropic = createSdkLoader("@anthropic-ai/sdk", () => import("../../vendor/anthropic.js"));

/**
 * The SDK sends every key as a bearer token since version 1.0 (its change log, 2026-10-21). Other vendors with this api
 * expect `x-api-key`, and Anthropic accepts both.
 *
 * @param client an injected client, with its own credentials and base URL
 */
export async function sendThroughAnthropic(
  request: WireRequest,
  io: SendContext,
  client?: PostingClient,
): Promise<Response> {
  if (client) return postThrough(client, request, io);
  const { BaseAnthropic } = await loadAnthropic(io);
  return sendPrepared(withoutEmptyKey(request), io, ["anthropic"], (fetch) => {
    const options = {
      // Null keeps the SDK from reading its own environment variables.
      apiKey: request.bearerToken ? null : (request.apiKey ?? null),
      authToken: request.bearerToken ?? null,
      baseURL: request.baseUrl,
      fetch,
      maxRetries: 0,
      // Its spans belong to the methods of its API, which we do not call. The build leaves them out.
      openTelemetry: false,
      logLevel: "off",
      dangerouslyAllowBrowser: true,
    } as const;
    const keyHeaders = request.bearerToken ? {} : { "x-api-key": request.apiKey || null, authorization: null };
    return postSample(withoutEnvironmentHeaders(new BaseAnthropic(options), keyHeaders), request);
  });
}
