/** Tools as a model sees them, and those that a provider runs itself. */
import type { ServerToolRequest } from "./server-tool.js";

/** A tool as the model sees it. The application decides how it runs, see `AgentTool` of `pi-agent`. */
export interface Tool<TParameters extends object = object> {
  /**
   * The name by which the model calls the tool. Every provider accepts up to 64 letters, digits, `_` and `-`, starting
   * with a letter.
   */
  name: string;
  /** Describes to the model what the tool does and when to use it. */
  description: string;
  /** JSON Schema of the arguments, built with `Type` or written by hand. The whole schema is sent. */
  parameters: TParameters;
  /**
   * Whether the provider must enforce the schema on the arguments. `"prefer"`: if the provider and the schema permit it,
   * else the message has a diagnostic `tool_not_strict`. `"require"`: if they do not, the request fails before it is sent.
   * Default: false. Arguments are validated in any case.
   */
  strict?: "prefer" | "require" | false;
  /**
   * A response needs at most one call of this tool. Chat Completions servers with `compat.supportsParallelToolCalls` then
   * make one call at a time; others ignore it.
   */
  once?: boolean;
  /**
   * Ends a cached prefix at this tool. Providers cache the tools before the system prompt and the messages, in their order.
   * Taken by Anthropic, by Bedrock with Claude, and by OpenRouter with Claude; ignored for a tool that the provider runs.
   * See {@link CacheLifetime}.
   */
  cache?: CacheLifetime;
  /**
   * `"deferred"`: the model finds the tool by a search, instead of reading it in every request. A request with
   * `toolSearchTool` of `pi-ai/server-tools` lets the provider search; `toolSearch` of `pi-agent/tool-search` searches for any
   * model. Without either the tool is sent as any other. Default: sent.
   */
  loading?: "deferred" | undefined;
  /**
   * Arguments of sample calls, such as `[{ city: "Paris" }]`, for a tool whose schema does not say enough. They are sent as a
   * part of the description, which every provider takes. Default: none.
   */
  examples?: readonly object[] | undefined;
  /**
   * The group of the tool, up to 64 letters, digits, `_` and `-`. OpenAI shows the model of deferred tools only the name and the
   * description of their group; the first tool of a group says its description. Sent to GPT-5.4 and later by the Responses
   * apis. Elsewhere left out, with the diagnostic `tool_field_omitted`. Default: none.
   */
  namespace?: string | { name: string; description: string } | undefined;
  /**
   * Who may call the tool: the model itself, code that it runs at the provider, or both. Sent in a request with the provider's
   * tool for such code: `code_execution_20250825` and later of Anthropic, `programmatic_tool_calling` of the Responses api.
   * Elsewhere left out, with the diagnostic `tool_field_omitted`, and the model calls it. Default: the model.
   */
  callers?: readonly ("model" | "code")[] | undefined;
  /**
   * JSON Schema of the results, as JSON in their text. Sent to GPT-5.4 and later by the Responses apis, and to Gemini. Elsewhere
   * left out, with the diagnostic `tool_field_omitted`. Results are not checked against it. Default: none.
   */
  output?: object | undefined;
  /** Set for a tool that the provider runs; see `pi-ai/server-tools`. */
  server?: ServerToolRequest;
}

/** A tool that the provider runs. Stands in `tools` beside tools of the application, also in those of an agent. */
export interface ServerTool extends Tool {
  server: ServerToolRequest;
  /** Rejects, because the application cannot run the tool. */
  execute(): Promise<never>;
}

/**
 * How long the provider keeps the prompt up to a marked block or tool in its cache: its default time, or its longest one (at
 * Anthropic five minutes or an hour). Providers without such marks ignore it, and `cacheRetention: "none"` switches it off.
 * Anthropic and Bedrock take four marks in a request: of more, the last ones count, see the diagnostic
 * `cache_marks_omitted`.
 */
export type CacheLifetime = "short" | "long";
