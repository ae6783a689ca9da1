/** Tools that a provider runs itself, in the list of tools of a context. */
import type { Api } from "./model.js";

/** Options of a web search. */
export interface WebSearchOptions {
  /** The maximum number of searches per response. A diagnostic `server_tool_option` says if the provider has no limit. */
  maxUses?: number | undefined;
  /** Searches only these domains. Throws a `ConfigError` if the provider has no such filter. */
  allowedDomains?: readonly string[] | undefined;
  /** Excludes these domains. Throws a `ConfigError` if the provider has no such filter. */
  blockedDomains?: readonly string[] | undefined;
}

/** Options of a file search. */
export interface FileSearchOptions {
  /** The provider's ids of the stores to search. */
  storeIds: readonly string[];
  /** The maximum number of passages per search. Default: the provider's. */
  maxResults?: number | undefined;
}

/** An MCP server that the provider connects to. */
export interface McpServerOptions {
  /** The address of the server, over HTTP. */
  url: string;
  /** The name of the server among the tools. */
  name: string;
  /** The tools of the server that the model may call. Default: all. */
  allowedTools?: readonly string[] | undefined;
  /** Sent to the MCP server as a bearer token. Redacted from every message. */
  authorizationToken?: string | undefined;
  /**
   * Whether the application approves each call: it waits as a `serverTool` block named `mcp_approval`. Default false. Throws
   * a `ConfigError` if the provider has no approvals.
   */
  requireApproval?: boolean | undefined;
}

/** Options of the provider's search for deferred tools. */
export interface ToolSearchToolOptions {
  /**
   * How Anthropic searches: by words, or by regular expressions that the model writes. The Responses API has one way. Default
   * `"bm25"`.
   */
  variant?: "bm25" | "regex" | undefined;
}

/** A tool that most providers have in some form, by kind. */
export type PortableServerTool =
  | ({ kind: "webSearch" } & WebSearchOptions)
  | { kind: "codeExecution" }
  | ({ kind: "fileSearch" } & FileSearchOptions)
  | ({ kind: "mcpServer" } & McpServerOptions)
  | ({ kind: "toolSearch" } & ToolSearchToolOptions);

/** A tool in the wire format of one api. */
export interface DeclaredServerTool {
  kind: "declared";
  /** The api that knows the tool. A model of another api causes a `ConfigError`. */
  api: Api;
  /** Sent as it is, as one entry of the tools. */
  declaration: Record<string, unknown>;
  /** Beta features that the request needs, in addition to those that are known for the type of the tool. */
  betas?: readonly string[];
}

/** The declaration of a server tool. */
export type ServerToolRequest = PortableServerTool | DeclaredServerTool;
