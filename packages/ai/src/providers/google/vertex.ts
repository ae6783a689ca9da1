/** The Gemini API on Vertex AI: the same bodies at another address, with a key or application default credentials. */
import {
  GOOGLE_OUTPUT,
  GOOGLE_TOOL_RULES,
  namesProject,
  vertexBaseUrl,
  vertexResource,
} from "../../catalogue/compat/index.js";
import { type Environment, processEnvironment } from "../../catalogue/index.js";
import type { ApiRequest, VendorAdapter } from "../../driver/index.js";
import { ConfigError } from "../../errors.js";
import { directFetch, toWireResponse, type WireRequest } from "../../transport/index.js";
import { sendThroughGoogle, sendThroughInjectedClient } from "../../transport/sdk/google.js";
import { sendWithGoogleCredentials } from "../../transport/sdk/google-auth.js";
import { PLAIN_ROWS } from "../plain-options.js";
import { type GoogleOptions, simpleGoogleOptions } from "./options.js";
import { buildGoogleBody, buildGoogleHeaders, continueGoogleRequest } from "./request.js";
import { googleRetryDelay } from "./retry-delay.js";
import { createGoogleMapping, GOOGLE_ENDED_EARLY } from "./stream.js";
import { GOOGLE_FILES, VERTEX_TOOLS } from "./vendor-features.js";
import { readWholeGoogle } from "./whole-response.js";

/** Options of generateContent on Vertex AI. */
export interface GoogleVertexOptions extends GoogleOptions {
  /** Default: the environment variable `GOOGLE_CLOUD_PROJECT`, else `GCLOUD_PROJECT`. Not needed with an API key. */
  project?: string | undefined;
  /** Default: the environment variable `GOOGLE_CLOUD_LOCATION`. Not needed with an API key. */
  location?: string | undefined;
}

type VertexRequest = ApiRequest<GoogleVertexOptions>;

/** Placeholder keys, which stand for application default credentials. */
const KEY_MARKER = /^(<.*>|gcp-vertex-credentials|)$/;

export const googleVertexAdapter: VendorAdapter<GoogleVertexOptions> = {
  api: "google-vertex",
  fetch: directFetch,
  keyOptional: true,
  endedEarly: GOOGLE_ENDED_EARLY,
  omits: ["metadata"],
  ownOptions: { toolChoice: true, thinking: true, client: true, project: true, location: true },
  serverTools: VERTEX_TOOLS,
  outputRows: GOOGLE_OUTPUT,
  toolRows: GOOGLE_TOOL_RULES,
  files: GOOGLE_FILES,
  simpleOptions: simpleGoogleOptions,
  buildRequest: (request) => buildVertexRequest(request),
  send: async (wireRequest, request, io) => {
    const { client } = request.options;
    if (client) return toWireResponse(await sendThroughInjectedClient(client, wireRequest, io), "sse");
    const keyless = wireRequest.apiKey === undefined && !hasAuthorization(wireRequest);
    const response = keyless
      ? await sendWithGoogleCredentials(wireRequest, io, credentialOptions(request))
      : await sendThroughGoogle(wireRequest, io, { vertexai: true });
    return toWireResponse(response, "sse");
  },
  readWhole: readWholeGoogle,
  continueWith: continueGoogleRequest,
  createMapping: ({ model }) => createGoogleMapping(model.provider),
  retryDelay: googleRetryDelay,
};

/** @throws ConfigError that names the missing setting, if there is neither a key nor a project and location */
export function buildVertexRequest(request: VertexRequest, environment: Environment = processEnvironment): WireRequest {
  const { model, apiKey } = request;
  const hasKey = !KEY_MARKER.test(apiKey);
  // A client has a project and a location of its own.
  const place = hasKey || request.options.client ? undefined : resolvePlace(request, environment);
  const baseUrl = vertexBaseUrl(model.baseUrl, place?.location);
  const scope = place && !namesProject(baseUrl) ? `/projects/${place.project}/locations/${place.location}` : "";
  return {
    baseUrl,
    path: `${scope}/${vertexResource(model.id)}:streamGenerateContent`,
    headers: buildGoogleHeaders(request),
    ...buildGoogleBody(request, PLAIN_ROWS.vertex),
    ...(hasKey ? { apiKey } : {}),
  };
}

function credentialOptions(request: VertexRequest): {
  project: string;
  location: string;
  credentialsFile: string | undefined;
} {
  const credentialsFile = processEnvironment.get("GOOGLE_APPLICATION_CREDENTIALS");
  return { ...resolvePlace(request, processEnvironment), credentialsFile };
}

function resolvePlace({ options }: VertexRequest, { get }: Environment): { project: string; location: string } {
  const project = options.project ?? get("GOOGLE_CLOUD_PROJECT") ?? get("GCLOUD_PROJECT");
  const location = options.location ?? get("GOOGLE_CLOUD_LOCATION");
  if (!project) {
    throw new ConfigError(
      "Vertex AI needs a project: set GOOGLE_CLOUD_PROJECT (or GCLOUD_PROJECT), or give options.project",
    );
  }
  if (!location) {
    throw new ConfigError("Vertex AI needs a location: set GOOGLE_CLOUD_LOCATION, or give options.location");
  }
  return { project, location };
}

function hasAuthorization({ headers }: WireRequest): boolean {
  return Object.entries(headers).some(([name, value]) => value !== null && name.toLowerCase() === "authorization");
}
