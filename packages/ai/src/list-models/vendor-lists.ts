/** The lists of vendors: where each stands, how its key is sent, and what its entries say. One row for each form. */
import type { Api, ThinkingLevelMap } from "../types/model.js";
import { isRecord } from "../utils/is-object.js";
import { ownValue } from "../utils/own-value.js";
import { isText, textIn } from "../utils/read-text.js";
import { visibleLine } from "../utils/visible-text.js";
import {
  costIn,
  dateIn,
  type Fields,
  flagIn,
  inputsIn,
  type ListedModel,
  listIn,
  recordIn,
  tokensIn,
  visionInput,
} from "./facts.js";
import { readGenericEntry } from "./generic-entry.js";

/** A form of list. */
export interface ListForm {
  /** The api whose base URL in the catalogue leads to the list. Default: the first one of the provider. */
  readonly api?: Api;
  /** Makes the address of the first page. */
  url(base: string): string;
  /** The headers that carry the key. Default: a bearer token. */
  headers?(key: string): Record<string, string>;
  /** The list of a page, if the body is one. Default: `data`, or the body itself. */
  items?(body: Fields): unknown;
  /** The query of the next page; undefined for the last page. */
  next?(body: Fields): Record<string, string> | undefined;
  /** Reads an entry; undefined for a model that does not write text. */
  read(entry: Fields): ListedModel | undefined;
  /** Whether the list can be read without a key. */
  isPublic?: boolean;
}

const withVersion = (base: string): string => (/\/v\d+[a-z0-9]*$/.test(base) ? base : `${base}/v1`);

/**
 * Anthropic API reference, "List Models", and the types of `@anthropic-ai/sdk` 1.12 (resources/models.d.ts), 2026-11:
 * capabilities and lifecycle are there since 2026-10-07.
 */
const ANTHROPIC: ListForm = {
  api: "anthropic-messages",
  url: (base) => `${base.replace(/\/v1$/, "")}/v1/models?limit=1000`,
  headers: (key) => ({
    "anthropic-version": "2023-06-01",
    ...(key.includes("sk-ant-oat")
      ? { authorization: `Bearer ${key}`, "anthropic-beta": "oauth-2025-04-20" }
      : key === ""
        ? {}
        : { "x-api-key": key }),
  }),
  next: ({ has_more: more, last_id: last }) => (more === true && isText(last) ? { after_id: last } : undefined),
  read: (entry) => {
    const { id, display_name: name, lifecycle } = entry;
    const capabilities = recordIn(entry["capabilities"]);
    const supports = (field: string): boolean | undefined => flagIn(recordIn(capabilities[field])["supported"]);
    const image = supports("image_input");
    return {
      id: textIn(id),
      name: textIn(name),
      contextWindow: tokensIn(entry["max_input_tokens"]),
      maxTokens: tokensIn(entry["max_tokens"]),
      reasoning: supports("thinking"),
      thinkingLevelMap: effortLevels(recordIn(capabilities["effort"])),
      input:
        image === undefined ? undefined : inputsIn(["text", image ? "image" : "", supports("pdf_input") ? "pdf" : ""]),
      lifecycle: lifecycle === "deprecated" || lifecycle === "retired" ? { status: lifecycle } : undefined,
    };
  },
};

/** The levels above `high` have to be named; the others only if the model does not take them. */
function effortLevels(effort: Fields): ThinkingLevelMap | undefined {
  if (effort["supported"] !== true) return undefined;
  const levels = (["low", "medium", "high", "xhigh", "max"] as const).flatMap((level) => {
    const supported = flagIn(recordIn(effort[level])["supported"]);
    if (supported && (level === "xhigh" || level === "max")) return [[level, level]];
    return supported === false ? [[level, null]] : [];
  });
  return levels.length === 0 ? undefined : Object.fromEntries(levels);
}

/** ai.google.dev, "Models: list" (2026-11). */
const GOOGLE: ListForm = {
  api: "google-generative-ai",
  url: (base) => `${/\/v\d/.test(base) ? base : `${base}/v1beta`}/models?pageSize=1000`,
  headers: (key): Record<string, string> => (key === "" ? {} : { "x-goog-api-key": key }),
  items: ({ models }) => models,
  next: ({ nextPageToken: token }) => (isText(token) ? { pageToken: token } : undefined),
  read: (entry) => {
    const methods = listIn(entry["supportedGenerationMethods"]);
    if (methods.length > 0 && !methods.includes("generateContent")) return undefined;
    return {
      id: textIn(entry["name"]).replace(/^models\//, ""),
      name: textIn(entry["displayName"]),
      contextWindow: tokensIn(entry["inputTokenLimit"]),
      maxTokens: tokensIn(entry["outputTokenLimit"]),
      reasoning: flagIn(entry["thinking"]),
    };
  },
};

/** docs.mistral.ai, "API: models" (2026-11). Each alias is an entry of its own. */
const MISTRAL: ListForm = {
  api: "mistral-conversations",
  url: (base) => `${withVersion(base)}/models`,
  read: (entry) => {
    const capabilities = recordIn(entry["capabilities"]);
    if (capabilities["completion_chat"] === false) return undefined;
    const endsAt = dateIn(entry["deprecation"]);
    const replacement = entry["deprecation_replacement_model"];
    return {
      id: textIn(entry["id"]),
      name: textIn(entry["name"]),
      contextWindow: tokensIn(entry["max_context_length"]),
      reasoning: flagIn(capabilities["reasoning"]),
      input: visionInput(capabilities["vision"]),
      tools: flagIn(capabilities["function_calling"]),
      lifecycle:
        endsAt === undefined
          ? undefined
          : { status: "deprecated", endsAt, ...(isText(replacement) ? { replacement: visibleLine(replacement) } : {}) },
    };
  },
};

/** openrouter.ai, "API: list models" (2026-11). Prices are texts, in US dollars per token; -1 means that they vary. */
const OPENROUTER: ListForm = {
  api: "openai-completions",
  isPublic: true,
  url: (base) => `${withVersion(base)}/models`,
  next: ({ links }) => queryOf(recordIn(links)["next"]),
  read: (entry) => {
    const read = readGenericEntry(entry);
    const endsAt = dateIn(entry["expiration_date"]);
    return (
      read && {
        ...read,
        cost: costIn(recordIn(entry["pricing"]), ["prompt", "completion"], 1e6),
        ...(endsAt === undefined ? {} : { lifecycle: { status: "deprecated" as const, endsAt } }),
      }
    );
  },
};

/** The query of an address of the same list. The address itself is not followed: the key is for this server only. */
function queryOf(link: unknown): Record<string, string> | undefined {
  if (!isText(link) || !link.includes("?")) return undefined;
  return Object.fromEntries(new URLSearchParams(link.slice(link.indexOf("?"))));
}

/** vercel.com, "AI Gateway: models" (2026-11). */
const VERCEL: ListForm = {
  isPublic: true,
  url: (base) => `${withVersion(base)}/models`,
  read: (entry) => {
    const read = readGenericEntry(entry);
    return read && { ...read, cost: costIn(recordIn(entry["pricing"]), ["input", "output"], 1e6) };
  },
};

/** docs.together.ai, "List all models" (2026-11): a bare list; prices per million tokens. */
const TOGETHER: ListForm = {
  url: (base) => `${withVersion(base)}/models`,
  read: (entry) => {
    const read = readGenericEntry(entry);
    return read && { ...read, cost: costIn(recordIn(entry["pricing"]), ["input", "output"], 1) };
  },
};

/** The apis of GitHub Copilot by the endpoint, the best one first (the list of its chat clients, 2026-11). */
const COPILOT_APIS: readonly (readonly [endpoint: string, api: Api])[] = [
  ["/v1/messages", "anthropic-messages"],
  ["/responses", "openai-responses"],
  ["/chat/completions", "openai-completions"],
];

/** The list that GitHub Copilot's chat clients read (2026-11). */
const COPILOT: ListForm = {
  api: "openai-completions",
  url: (base) => `${base}/models`,
  read: (entry) => {
    const capabilities = recordIn(entry["capabilities"]);
    if (isText(capabilities["type"]) && capabilities["type"] !== "chat") return undefined;
    const limits = recordIn(capabilities["limits"]);
    const supports = recordIn(capabilities["supports"]);
    const endpoints = listIn(entry["supported_endpoints"]);
    return {
      id: textIn(entry["id"]),
      name: textIn(entry["name"]),
      api: COPILOT_APIS.find(([endpoint]) => endpoints.includes(endpoint))?.[1],
      contextWindow: tokensIn(limits["max_context_window_tokens"]),
      maxTokens: tokensIn(limits["max_output_tokens"]),
      reasoning:
        listIn(supports["reasoning_effort"]).length > 0 ||
        supports["adaptive_thinking"] === true ||
        tokensIn(supports["max_thinking_budget"]) !== undefined ||
        undefined,
      input: visionInput(supports["vision"]),
      tools: flagIn(supports["tool_calls"]),
    };
  },
};

/** Amazon Bedrock API reference, "ListFoundationModels" (2026-11); an API key of Bedrock may call it. */
const BEDROCK: ListForm = {
  api: "bedrock-converse-stream",
  url: (base) => `${base.replace("://bedrock-runtime", "://bedrock")}/foundation-models`,
  items: ({ modelSummaries: models }) => models,
  read: (entry) => {
    const kinds = listIn(entry["inferenceTypesSupported"]);
    const outputs = listIn(entry["outputModalities"]);
    if (!outputs.includes("TEXT") || entry["responseStreamingSupported"] === false) return undefined;
    // A model with profiles only is called by the id of a profile.
    if (kinds.length > 0 && !kinds.includes("ON_DEMAND")) return undefined;
    const lifecycle = recordIn(entry["modelLifecycle"]);
    const endsAt = dateIn(lifecycle["endOfLifeTime"]);
    return {
      id: textIn(entry["modelId"]),
      name: textIn(entry["modelName"]),
      input: inputsIn(entry["inputModalities"]),
      lifecycle:
        lifecycle["status"] === "LEGACY"
          ? { status: "deprecated", ...(endsAt === undefined ? {} : { endsAt }) }
          : undefined,
    };
  },
};

/** Amazon Bedrock API reference, "ListInferenceProfiles" (2026-11). */
const BEDROCK_PROFILES: ListForm = {
  ...BEDROCK,
  url: (base) => `${base.replace("://bedrock-runtime", "://bedrock")}/inference-profiles?maxResults=1000`,
  items: ({ inferenceProfileSummaries: profiles }) => profiles,
  next: ({ nextToken: token }) => (isText(token) ? { nextToken: token } : undefined),
  read: ({ inferenceProfileId: id, inferenceProfileName: name, status }) =>
    isText(status) && status !== "ACTIVE" ? undefined : { id: textIn(id), name: textIn(name) },
};

/** Any server of OpenAI's apis. */
export const OPENAI_FORM: ListForm = { url: (base) => `${base}/models`, read: readGenericEntry };

/** The forms of providers, each with the pages that make up its list. */
const BY_PROVIDER: Readonly<Record<string, readonly ListForm[]>> = {
  anthropic: [ANTHROPIC],
  google: [GOOGLE],
  mistral: [MISTRAL],
  openrouter: [OPENROUTER],
  "vercel-ai-gateway": [VERCEL],
  together: [TOGETHER],
  "github-copilot": [COPILOT],
  "amazon-bedrock": [BEDROCK, BEDROCK_PROFILES],
};

/** The forms of servers that are known by their api alone. */
const BY_API: Readonly<Record<string, readonly ListForm[]>> = {
  "anthropic-messages": [ANTHROPIC],
  "google-generative-ai": [GOOGLE],
  "mistral-conversations": [MISTRAL],
  "bedrock-converse-stream": [BEDROCK, BEDROCK_PROFILES],
};

/** The forms of the list of a provider, else those of an api. */
export function listForms(provider: string | undefined, api: Api | undefined): readonly ListForm[] {
  return ownValue(BY_PROVIDER, provider) ?? ownValue(BY_API, api) ?? [OPENAI_FORM];
}

/** The list of a page; undefined if the body holds none. */
export function itemsOf(body: unknown, form: ListForm): unknown[] | undefined {
  if (Array.isArray(body)) return body;
  if (!isRecord(body)) return undefined;
  const items = form.items?.(body) ?? body["data"] ?? body["models"];
  return Array.isArray(items) ? items : undefined;
}
