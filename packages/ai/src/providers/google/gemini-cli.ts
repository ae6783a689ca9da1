/** Cloud Code Assist: the Gemini API with requests and responses in envelopes, authenticated by a Google login. */

import { GOOGLE_OUTPUT, GOOGLE_TOOL_RULES } from "../../catalogue/compat/index.js";
import type { ApiRequest, VendorAdapter, WireMapping } from "../../driver/index.js";
import { ConfigError } from "../../errors.js";
import { directFetch, postJson, toWireResponse, type WireRequest } from "../../transport/index.js";
import { isRecord } from "../../utils/is-object.js";
import { PLAIN_ROWS } from "../plain-options.js";
import { type GoogleOptions, simpleGoogleOptions } from "./options.js";
import { buildGoogleBody, buildGoogleHeaders } from "./request.js";
import { codeAssistRetryDelay } from "./retry-delay.js";
import { createGoogleMapping, GOOGLE_ENDED_EARLY } from "./stream.js";
import { GOOGLE_FILES } from "./vendor-features.js";
import { readWholeGoogle } from "./whole-response.js";

/** Options of Cloud Code Assist; its `apiKey` is JSON text: `{ "token", "projectId" }`. */
export type GoogleGeminiCliOptions = Omit<GoogleOptions, "client">;

const DEFAULT_BASE_URL = "https://cloudcode-pa.googleapis.com";

export const googleGeminiCliAdapter: VendorAdapter<GoogleGeminiCliOptions> = {
  api: "google-gemini-cli",
  fetch: directFetch,
  endedEarly: GOOGLE_ENDED_EARLY,
  omits: ["metadata"],
  ownOptions: { toolChoice: true, thinking: true },
  serverTools: { holder: "request", tools: {} },
  outputRows: GOOGLE_OUTPUT,
  toolRows: GOOGLE_TOOL_RULES,
  files: GOOGLE_FILES,
  simpleOptions: simpleGoogleOptions,
  buildRequest: buildCodeAssistRequest,
  send: async (wireRequest, _request, io) => toWireResponse(await postJson(wireRequest, io), "sse"),
  readWhole: readWholeGoogle,
  continueWith: (wireRequest, token) => {
    const { body } = wireRequest;
    const inner = isRecord(body) && isRecord(body["request"]) ? body["request"] : {};
    return {
      ...wireRequest,
      body: { ...(isRecord(body) ? body : {}), request: { ...inner, continuationToken: token } },
    };
  },
  createMapping: ({ model }) => unwrapping(createGoogleMapping(model.provider)),
  retryDelay: codeAssistRetryDelay,
};

/** @throws ConfigError if the key is not JSON with a token and a project */
function buildCodeAssistRequest(request: ApiRequest<GoogleGeminiCliOptions>): WireRequest {
  const { token, projectId } = parseKey(request.apiKey);
  const { body, notes } = buildGoogleBody(request, PLAIN_ROWS.vertex);
  return {
    baseUrl: request.model.baseUrl || DEFAULT_BASE_URL,
    path: "/v1internal:streamGenerateContent?alt=sse",
    headers: buildGoogleHeaders(request),
    body: { project: projectId, model: request.model.id, request: body },
    notes,
    bearerToken: token,
  };
}

function parseKey(apiKey: string): { token: string; projectId: string } {
  let key: { token?: unknown; projectId?: unknown } | null | undefined;
  try {
    key = JSON.parse(apiKey);
  } catch {
    // Not JSON. The error below must not quote it, because it may be a secret.
  }
  const { token, projectId } = key ?? {};
  if (typeof token === "string" && token !== "" && typeof projectId === "string" && projectId !== "") {
    return { token, projectId };
  }
  throw new ConfigError('The API key for Cloud Code Assist must be JSON with two strings: { "token", "projectId" }', {
    kind: "auth_missing",
  });
}

function unwrapping(mapping: WireMapping): WireMapping {
  return Object.assign<WireMapping, Pick<WireMapping, "end" | "hops">>((event, sink) => mapping(unwrap(event), sink), {
    end: (sink) => mapping.end?.(sink),
    ...(mapping.hops && { hops: mapping.hops }),
  });
}

/** Errors have no envelope. */
function unwrap(event: unknown): unknown {
  const inner = typeof event === "object" && event !== null && "response" in event ? event.response : event;
  return typeof inner === "object" && inner !== null ? inner : {};
}
