/** Adds the tools that a provider runs to a request. The driver loads this for the few requests that have such tools. */
import { ConfigError } from "../../errors.js";
import { listOf, mergeFields, type RequestNote, type WireRequest, withBetas } from "../../transport/index.js";
import type { Context, PortableServerTool, ServerToolRequest } from "../../types/context.js";
import type { Model } from "../../types/model.js";
import { isRecord } from "../../utils/is-object.js";

const NAMES: Readonly<Record<PortableServerTool["kind"], string>> = {
  webSearch: "web search",
  codeExecution: "code execution",
  fileSearch: "file search",
  mcpServer: "MCP connector",
};

const NO_VENDOR: Vendor = { tools: {} };

/** The declarations of a request, ready to be added to it. */
export interface ServerTools<TRequest> {
  /** The request with the tools of the application only, as adapters see it. */
  own: TRequest;
  /** The credentials in the declarations, which must appear in no message. */
  secrets: string[];
  /** The request with the declarations. */
  addTo(request: WireRequest): WireRequest;
}

/**
 * Finds how the model's api declares each tool.
 *
 * @throws ConfigError for a tool that the model does not have
 */
export function declareServerTools<TRequest extends { model: Model; context: Context }>(
  request: TRequest,
): ServerTools<TRequest> {
  const { model, context } = request;
  const { tools = [], ...rest } = context;
  const vendor = VENDORS.get(model.api) ?? NO_VENDOR;
  const requests = tools.flatMap(({ server }) => (server ? [server] : []));
  const ownTools = tools.filter(({ server }) => !server);
  const hasOwnTools = ownTools.length > 0;
  if (hasOwnTools && vendor.combines && !vendor.combines.test(model.id)) {
    throw new ConfigError(
      `The model ${model.id} does not take tools of the application beside those of its provider. Leave one kind out.`,
    );
  }
  const declarations = requests.map((server) => declare(server, model, vendor));
  return {
    own: { ...request, context: hasOwnTools ? { ...rest, tools: ownTools } : rest },
    secrets: requests.flatMap((server) =>
      server.kind === "mcpServer" && server.authorizationToken ? [server.authorizationToken] : [],
    ),
    addTo: (wireRequest) => add(wireRequest, declarations, hasOwnTools ? vendor : { ...vendor, combined: {} }),
  };
}

function declare(request: ServerToolRequest, model: Model, vendor: Vendor): Declaration {
  if (request.kind !== "declared") return declarePortable(request, model, vendor);
  const { api, declaration, betas = [] } = request;
  if (api !== model.api) {
    throw new ConfigError(`A server tool is declared for the api ${api}, but the model ${model.id} has ${model.api}.`);
  }
  const { type } = declaration;
  const known = typeof type === "string" && vendor.betas && Object.hasOwn(vendor.betas, type) ? vendor.betas[type] : "";
  return { tools: [declaration], betas: known ? [...betas, known] : [...betas] };
}

function declarePortable(request: PortableServerTool, model: Model, { tools }: Vendor): Declaration {
  // The row of a kind takes the options of that kind.
  const row = tools[request.kind] as Row<PortableServerTool["kind"]> | undefined;
  const isKnown = row?.providers.includes(model.provider) && (row.models?.test(model.id) ?? true);
  if (!row || !isKnown) {
    throw new ConfigError(
      `The model ${model.id} of ${model.provider} has no ${NAMES[request.kind]}. Use another model, a tool of your own, or serverTool("${model.api}", declaration).`,
    );
  }
  const refused = row.refused?.find((option) => Reflect.get(request, option));
  if (refused !== undefined) {
    throw new ConfigError(`The ${NAMES[request.kind]} of ${model.provider} has no option ${refused}.`);
  }
  return row.declare(request);
}

function add(request: WireRequest, declarations: readonly Declaration[], vendor: Vendor): WireRequest {
  const { holder, combined = {} } = vendor;
  const body: Fields = isRecord(request.body) ? { ...request.body } : {};
  const inner = holder === undefined ? body : { ...(isRecord(body[holder]) ? body[holder] : {}) };
  const tools = declarations.flatMap((declaration) => declaration.tools ?? []);
  // In front, so that a cache marker on the last tool covers them. An adapter may have declared a tool that the history uses.
  const declared = new Set(tools.map((tool) => JSON.stringify(tool)));
  const others = listOf(inner["tools"]).filter((tool) => !declared.has(JSON.stringify(tool)));
  if (tools.length > 0) inner["tools"] = [...tools, ...others];
  mergeFields(inner, combined);
  if (holder !== undefined) body[holder] = inner;
  for (const declaration of declarations) mergeFields(body, declaration.body ?? {});
  const ignored = declarations.flatMap((declaration) => declaration.ignored ?? []);
  const notes: RequestNote[] = ignored.length > 0 ? [{ type: "server_tool_option", details: { ignored } }] : [];
  return {
    ...request,
    body,
    headers: withBetas(
      request.headers,
      declarations.flatMap((declaration) => declaration.betas ?? []),
    ),
    notes: [...(request.notes ?? []), ...notes],
  };
}

// How each api declares the tools that its provider runs. A new vendor is a row.

export type Fields = Record<string, unknown>;

/** What a declaration adds to a request. */
export interface Declaration {
  /** Entries of the tools. */
  tools?: Fields[];
  /** Fields of the body. Lists are joined with those that are there. */
  body?: Fields;
  /** Names of beta features, for Anthropic's header. */
  betas?: string[];
  /** Options that the provider does not know, and that do not matter for safety. */
  ignored?: string[];
}

type OptionsOf<TKind> = Extract<PortableServerTool, { kind: TKind }>;
type Kind = PortableServerTool["kind"];

/** One tool of one api. */
export interface Row<TKind extends Kind> {
  /** The providers that have it behind this api. */
  providers: readonly string[];
  /** The models that have it. Default: all of these providers. */
  models?: RegExp;
  /** Options without which the tool would do more than it may; a `ConfigError` where they are given. */
  refused?: readonly Exclude<keyof OptionsOf<TKind>, "kind">[];
  declare(options: OptionsOf<TKind>): Declaration;
}

export interface Vendor {
  /** The field of the body that holds the tools, if the body does not hold them itself. */
  holder?: string;
  /** Beta features by the type of a declared tool. */
  betas?: Readonly<Record<string, string>>;
  /** Fields for a request with both the provider's tools and the application's. */
  combined?: Fields;
  /** The models that take both. Default: all. */
  combines?: RegExp;
  tools: { readonly [TKind in Kind]?: Row<TKind> };
}

/** platform.claude.com, "Tool reference" and "MCP connector", 2026-11. */
const ANTHROPIC: Vendor = {
  betas: {
    advisor_20260301: "advisor-tool-2026-03-01",
    code_execution_20250522: "code-execution-2025-05-22",
    computer_20250124: "computer-use-2025-01-24",
    computer_20251124: "computer-use-2025-11-24",
    mcp_toolset: "mcp-client-2025-11-20",
  },
  tools: {
    webSearch: {
      providers: ["anthropic"],
      models: /claude-(3-7|3-5|[a-z]+-[4-9]|[4-9])/,
      declare: ({ maxUses, allowedDomains, blockedDomains }) => ({
        tools: [
          {
            type: "web_search_20250305",
            name: "web_search",
            ...(maxUses === undefined ? {} : { max_uses: maxUses }),
            ...(allowedDomains ? { allowed_domains: allowedDomains } : {}),
            ...(blockedDomains ? { blocked_domains: blockedDomains } : {}),
          },
        ],
      }),
    },
    codeExecution: {
      providers: ["anthropic"],
      models: /claude-(3-7|3-5-haiku|[a-z]+-[4-9]|[4-9])/,
      declare: () => ({ tools: [{ type: "code_execution_20250825", name: "code_execution" }] }),
    },
    mcpServer: {
      providers: ["anthropic"],
      refused: ["requireApproval"],
      declare: ({ name, url, allowedTools, authorizationToken }) => ({
        tools: [
          {
            type: "mcp_toolset",
            mcp_server_name: name,
            ...(allowedTools
              ? {
                  default_config: { enabled: false },
                  configs: Object.fromEntries(allowedTools.map((tool) => [tool, { enabled: true }])),
                }
              : {}),
          },
        ],
        body: {
          mcp_servers: [
            { type: "url", name, url, ...(authorizationToken ? { authorization_token: authorizationToken } : {}) },
          ],
        },
        betas: ["mcp-client-2025-11-20"],
      }),
    },
  },
};

const RESPONSES_PROVIDERS = ["openai", "azure", "openai-codex", "xai", "cloudflare-ai-gateway"];
/** Without the models that are older than these tools. */
const RESPONSES_MODELS = /^(?!gpt-3|gpt-4(-turbo|-\d|$)|o1)/;

/** developers.openai.com, API reference, "Create a model response": `tools` and `include`, 2026-11. */
const RESPONSES: Vendor = {
  tools: {
    webSearch: {
      providers: RESPONSES_PROVIDERS,
      models: RESPONSES_MODELS,
      refused: ["blockedDomains"],
      declare: ({ maxUses, allowedDomains }) => ({
        tools: [{ type: "web_search", ...(allowedDomains ? { filters: { allowed_domains: allowedDomains } } : {}) }],
        body: { include: ["web_search_call.action.sources"] },
        ignored: maxUses === undefined ? [] : ["maxUses"],
      }),
    },
    codeExecution: {
      providers: RESPONSES_PROVIDERS,
      models: RESPONSES_MODELS,
      declare: () => ({
        tools: [{ type: "code_interpreter", container: { type: "auto" } }],
        body: { include: ["code_interpreter_call.outputs"] },
      }),
    },
    fileSearch: {
      providers: RESPONSES_PROVIDERS,
      models: RESPONSES_MODELS,
      declare: ({ storeIds, maxResults }) => ({
        tools: [
          {
            type: "file_search",
            vector_store_ids: storeIds,
            ...(maxResults === undefined ? {} : { max_num_results: maxResults }),
          },
        ],
        body: { include: ["file_search_call.results"] },
      }),
    },
    mcpServer: {
      providers: RESPONSES_PROVIDERS,
      models: RESPONSES_MODELS,
      declare: ({ name, url, allowedTools, authorizationToken, requireApproval }) => ({
        tools: [
          {
            type: "mcp",
            server_label: name,
            server_url: url,
            require_approval: requireApproval ? "always" : "never",
            ...(allowedTools ? { allowed_tools: allowedTools } : {}),
            ...(authorizationToken ? { authorization: authorizationToken } : {}),
          },
        ],
      }),
    },
  },
};

const GOOGLE_PROVIDERS = ["google", "google-vertex"];

/** ai.google.dev, "Grounding with Google Search", "Code execution", "File Search", "Tool combination", 2026-11. */
const GOOGLE: Vendor = {
  combined: { toolConfig: { includeServerSideToolInvocations: true } },
  combines: /gemini-([3-9]|flash-latest|pro-latest)/,
  tools: {
    webSearch: {
      providers: GOOGLE_PROVIDERS,
      models: /gemini-([2-9]|flash|pro)/,
      refused: ["allowedDomains", "blockedDomains"],
      declare: ({ maxUses }) => ({
        tools: [{ googleSearch: {} }],
        ignored: maxUses === undefined ? [] : ["maxUses"],
      }),
    },
    codeExecution: {
      providers: GOOGLE_PROVIDERS,
      models: /gemini-([2-9]|flash|pro)/,
      declare: () => ({ tools: [{ codeExecution: {} }] }),
    },
    fileSearch: {
      providers: ["google"],
      models: /gemini-(2\.5|[3-9]|flash|pro)/,
      declare: ({ storeIds, maxResults }) => ({
        tools: [
          {
            fileSearch: { fileSearchStoreNames: storeIds, ...(maxResults === undefined ? {} : { topK: maxResults }) },
          },
        ],
      }),
    },
  },
};

/** docs.aws.amazon.com, "Using built-in tools with Nova", 2026-11. */
const BEDROCK: Vendor = {
  holder: "toolConfig",
  tools: {
    webSearch: {
      providers: ["amazon-bedrock"],
      models: /nova-(premier|2)/,
      refused: ["allowedDomains", "blockedDomains"],
      declare: ({ maxUses }) => ({
        tools: [{ systemTool: { name: "nova_grounding" } }],
        ignored: maxUses === undefined ? [] : ["maxUses"],
      }),
    },
    codeExecution: {
      providers: ["amazon-bedrock"],
      models: /nova-2/,
      declare: () => ({ tools: [{ systemTool: { name: "nova_code_interpreter" } }] }),
    },
  },
};

/** openrouter.ai/docs, "Web search", 2026-11: a plugin of the gateway, for every model. */
const COMPLETIONS: Vendor = {
  tools: {
    webSearch: {
      providers: ["openrouter"],
      declare: ({ maxUses, allowedDomains, blockedDomains }) => ({
        body: {
          plugins: [
            {
              id: "web",
              ...(allowedDomains ? { include_domains: allowedDomains } : {}),
              ...(blockedDomains ? { exclude_domains: blockedDomains } : {}),
            },
          ],
        },
        ignored: maxUses === undefined ? [] : ["maxUses"],
      }),
    },
  },
};

/** By api. An api that is missing here has no portable tools; a declared tool becomes an entry of `tools`. */
export const VENDORS: ReadonlyMap<string, Vendor> = new Map([
  ["anthropic-messages", ANTHROPIC],
  ["openai-responses", RESPONSES],
  ["azure-openai-responses", RESPONSES],
  ["openai-codex-responses", RESPONSES],
  ["google-generative-ai", GOOGLE],
  // Vertex has no switch for both kinds of tools (types of @google/genai 2.13: "not supported in Vertex AI").
  ["google-vertex", { ...GOOGLE, combines: /(?!)/ }],
  ["google-gemini-cli", { holder: "request", tools: {} }],
  ["bedrock-converse-stream", BEDROCK],
  ["openai-completions", COMPLETIONS],
]);
