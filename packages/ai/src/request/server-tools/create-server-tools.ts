/** Creates tools that a provider runs. */
import { ConfigError } from "../../errors.js";
import type {
  FileSearchOptions,
  McpServerOptions,
  ServerTool,
  ServerToolRequest,
  ToolSearchToolOptions,
  WebSearchOptions,
} from "../../types/context.js";
import type { Api } from "../../types/model.js";
import { isRecord } from "../../utils/is-object.js";
import { nameValue } from "../../utils/name-value.js";
import { checkOptionNames, type OptionNames } from "../../utils/nearest-names.js";

/**
 * Any tool of a provider, as its api declares it:
 *
 *     serverTool("anthropic-messages", { type: "web_search_20250305", name: "web_search", max_uses: 3 })
 *
 * @param api the api that knows the tool; a model of another api is a `ConfigError` before anything is sent
 * @param declaration sent as it is, as one entry of the tools
 * @param options.betas beta features that the request needs, in addition to those that are known for the type
 * @throws ConfigError if the declaration is not an object
 */
export function serverTool(
  api: Api,
  declaration: Record<string, unknown>,
  options: { betas?: readonly string[] } = {},
): ServerTool {
  if (!isRecord(declaration)) throw new ConfigError("The declaration of a server tool must be an object.");
  checkOptionNames("serverTool", options, { betas: true });
  return create(nameOf(declaration), { kind: "declared", api, declaration, ...options });
}

const WEB: OptionNames<WebSearchOptions> = {
  maxUses: true,
  allowedDomains: true,
  blockedDomains: true,
};

const FILES: OptionNames<FileSearchOptions> = {
  storeIds: true,
  maxResults: true,
};

const MCP: OptionNames<McpServerOptions> = {
  url: true,
  name: true,
  allowedTools: true,
  authorizationToken: true,
  requireApproval: true,
};

/**
 * Searches the web: Anthropic, the Responses API of OpenAI, Azure, Codex and xAI, Gemini and Vertex, OpenRouter, Nova on
 * Bedrock. A model without it is a `ConfigError` before anything is sent.
 */
export function webSearchTool(options: WebSearchOptions = {}): ServerTool {
  checkOptionNames("webSearchTool", options, WEB);
  checkLists("webSearchTool", options, ["allowedDomains", "blockedDomains"]);
  checkCount("webSearchTool", "maxUses", options.maxUses);
  return create("web_search", { kind: "webSearch", ...options });
}

/** Runs code in a sandbox of the provider: Anthropic, the Responses API, Gemini and Vertex, Nova 2 on Bedrock. */
export function codeExecutionTool(): ServerTool {
  return create("code_execution", { kind: "codeExecution" });
}

/**
 * Searches files that the provider keeps: the Responses API (vector stores) and Gemini (file search stores).
 *
 * @throws ConfigError without a store
 */
export function fileSearchTool(options: FileSearchOptions): ServerTool {
  if (!Array.isArray(options?.storeIds) || options.storeIds.length === 0)
    throw new ConfigError('fileSearchTool needs storeIds, such as fileSearchTool({ storeIds: ["vs_123"] }).');
  checkOptionNames("fileSearchTool", options, FILES);
  checkCount("fileSearchTool", "maxResults", options.maxResults);
  return create("file_search", { kind: "fileSearch", ...options });
}

/**
 * Lets the provider call the tools of an MCP server: Anthropic and the Responses API.
 *
 * @throws ConfigError without a name or a valid address
 */
export function mcpServerTool(options: McpServerOptions): ServerTool {
  if (!options?.name || !URL.canParse(options.url))
    throw new ConfigError(
      'mcpServerTool needs a name and a url, such as { name: "docs", url: "https://example.com/mcp" }.',
    );
  checkOptionNames("mcpServerTool", options, MCP);
  checkLists("mcpServerTool", options, ["allowedTools"]);
  return create(`mcp__${options.name}`, { kind: "mcpServer", ...options });
}

/**
 * Lets the provider search the tools with `loading: "deferred"`, which the model then does not read in every request: Claude
 * from 4.5 on at Anthropic, GPT from 5.4 on at the Responses API of OpenAI, Azure and Codex. `toolSearch` of `pi-agent/tool-search`
 * searches for any model, and with `native` uses this one where the model has it.
 *
 * @throws ConfigError for an unknown variant
 */
export function toolSearchTool(options: ToolSearchToolOptions = {}): ServerTool {
  const { variant } = options;
  if (variant !== undefined && variant !== "bm25" && variant !== "regex")
    throw new ConfigError('The variant of toolSearchTool must be "bm25" or "regex".');
  checkOptionNames("toolSearchTool", options, { variant: true });
  return create("tool_search", { kind: "toolSearch", ...options });
}

/** Of texts: one text alone would be sent, and refused by the provider, or read as letters. */
function checkLists<TName extends string>(place: string, options: { [name in TName]?: unknown }, names: TName[]): void {
  for (const name of names) {
    const list = options[name];
    if (list !== undefined && !(Array.isArray(list) && list.every((text) => typeof text === "string")))
      throw new ConfigError(`${place}: ${name} must be a list of texts, not ${nameValue(list)}.`);
  }
}

function checkCount(place: string, name: string, count: unknown): void {
  if (count !== undefined && !(Number.isInteger(count) && Number(count) > 0))
    throw new ConfigError(`${place}: ${name} must be a whole number of 1 or more, not ${nameValue(count)}.`);
}

function create(name: string, server: ServerToolRequest): ServerTool {
  const execute = (): Promise<never> =>
    Promise.reject(new ConfigError(`The provider runs the tool "${name}". The application cannot.`));
  return { name, description: "", parameters: { type: "object", properties: {} }, server, execute };
}

/** Where a declaration has no name of its own, its type or its only field tells it apart. */
function nameOf(declaration: Record<string, unknown>): string {
  const { name, type } = declaration;
  const found = [name, type, Object.keys(declaration)[0]].find((text) => typeof text === "string" && text !== "");
  return typeof found === "string" ? found : "server_tool";
}
