/** The Responses API on Azure: the same bodies, sent to a deployment of the user's own resource. */
import {
  AZURE_OUTPUT,
  azureResourceUrl,
  normalizeAzureBaseUrl,
  RESPONSES_TOOL_RULES,
  resolveResponsesFlags,
} from "../../catalogue/compat/index.js";
import { type Environment, processEnvironment } from "../../catalogue/index.js";
import type { ApiRequest, VendorAdapter } from "../../driver/index.js";
import { ConfigError } from "../../errors.js";
import { directFetch, toWireResponse, type WireRequest } from "../../transport/index.js";
import { sendThroughAzureOpenAI } from "../../transport/sdk/openai.js";
import { USER_AGENT } from "../../version.js";
import { PLAIN_ROWS } from "../plain-options.js";
import { type OpenAIResponsesOptions, simpleResponsesOptions } from "./options.js";
import { buildResponsesBody, cacheKey } from "./request.js";
import { createResponsesMapping, RESPONSES_ENDED_EARLY } from "./stream.js";
import { RESPONSES_CONTEXT, RESPONSES_FILES, RESPONSES_TOOLS } from "./vendor-features.js";
import { readWholeResponse } from "./whole-response.js";

/** Options of OpenAI's Responses on Azure. */
export interface AzureOpenAIResponsesOptions extends OpenAIResponsesOptions {
  /** Default: the environment variable `AZURE_OPENAI_API_VERSION`, else `v1`. */
  azureApiVersion?: string | undefined;
  /** Default: the environment variable `AZURE_OPENAI_RESOURCE_NAME`. Used if no base URL is set. */
  azureResourceName?: string | undefined;
  /** Default: the environment variable `AZURE_OPENAI_BASE_URL`, else by resource name, else the model's own. */
  azureBaseUrl?: string | undefined;
  /** Default: the model's entry in `AZURE_OPENAI_DEPLOYMENT_NAME_MAP` (`model=deployment,…`), else the model's id. */
  azureDeploymentName?: string | undefined;
}

type AzureRequest = ApiRequest<AzureOpenAIResponsesOptions>;

const DEFAULT_API_VERSION = "v1";

export const azureOpenAIResponsesAdapter: VendorAdapter<AzureOpenAIResponsesOptions> = {
  api: "azure-openai-responses",
  fetch: directFetch,
  takesClient: true,
  endedEarly: RESPONSES_ENDED_EARLY,
  omits: ["metadata", "thinkingBudgets"],
  ownOptions: {
    toolChoice: true,
    reasoningEffort: true,
    reasoningSummary: true,
    client: true,
    azureApiVersion: true,
    azureResourceName: true,
    azureBaseUrl: true,
    azureDeploymentName: true,
  },
  serverTools: RESPONSES_TOOLS,
  contextManagement: RESPONSES_CONTEXT,
  outputRows: AZURE_OUTPUT,
  toolRows: RESPONSES_TOOL_RULES,
  files: RESPONSES_FILES,
  simpleOptions: simpleResponsesOptions,
  buildRequest: (request) => buildAzureRequest(request),
  send: async (wireRequest, { options }, io) => {
    const version = resolveApiVersion(options, processEnvironment);
    return toWireResponse(await sendThroughAzureOpenAI(wireRequest, io, version, options.client), "sse");
  },
  readWhole: readWholeResponse,
  createMapping: ({ model, options }) =>
    createResponsesMapping(model.provider, resolveResponsesFlags(model), options.serviceTier),
};

/** @throws ConfigError that names the missing setting if the address is unknown */
export function buildAzureRequest(request: AzureRequest, environment: Environment = processEnvironment): WireRequest {
  const { model, options } = request;
  const flags = resolveResponsesFlags(model);
  const { fields, notes } = buildResponsesBody(request, flags, PLAIN_ROWS.azure);
  return {
    baseUrl: resolveAzureBaseUrl(request, environment),
    path: "/responses",
    headers: { "user-agent": USER_AGENT, ...model.headers, ...options.headers },
    body: {
      ...fields,
      model: resolveDeployment(request, environment),
      ...(options.sessionId ? { prompt_cache_key: cacheKey(options.sessionId) } : {}),
    },
    notes,
    apiKey: request.apiKey,
  };
}

function resolveAzureBaseUrl({ model, options }: AzureRequest, { get }: Environment): string {
  const given = options.azureBaseUrl?.trim() || get("AZURE_OPENAI_BASE_URL");
  if (given) return normalizeAzureBaseUrl(given);
  const resource = options.azureResourceName?.trim() || get("AZURE_OPENAI_RESOURCE_NAME");
  if (resource) return azureResourceUrl(resource);
  if (model.baseUrl !== "") return normalizeAzureBaseUrl(model.baseUrl);
  throw new ConfigError(
    "Azure OpenAI base URL is required. Set AZURE_OPENAI_BASE_URL or AZURE_OPENAI_RESOURCE_NAME, or pass azureBaseUrl, azureResourceName, or model.baseUrl.",
  );
}

function resolveApiVersion(options: AzureOpenAIResponsesOptions, { get }: Environment): string {
  return options.azureApiVersion?.trim() || get("AZURE_OPENAI_API_VERSION") || DEFAULT_API_VERSION;
}

function resolveDeployment({ model, options }: AzureRequest, { get }: Environment): string {
  if (options.azureDeploymentName) return options.azureDeploymentName;
  for (const entry of (get("AZURE_OPENAI_DEPLOYMENT_NAME_MAP") ?? "").split(",")) {
    const [id, deployment] = entry.split("=", 2).map((part) => part.trim());
    if (id === model.id && deployment) return deployment;
  }
  return model.id;
}
