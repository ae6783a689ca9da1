/** Offers deferred tools to the model when it has found them. What was found stands in the transcript, and nowhere else. */
import type { ToolResultMessage } from "pi-ai";
import { shortenText, visibleLine } from "pi-ai/call";
import { estimateTokens } from "pi-ai/count";
import { hasToolSearch, toolSearchTool } from "pi-ai/server-tools";
import {
  type Check,
  type Checks,
  checkOptions,
  mustBeCount,
  mustBeFlag,
  mustBeFunction,
  mustBeText,
  throwWrong,
} from "../../checks.js";
import { findToolCalls } from "../../pause/index.js";
import type { AgentMessage } from "../../types/message.js";
import type { AgentMiddleware, MiddlewareRun } from "../../types/middleware.js";
import type { AnyAgentTool } from "../../types/tool.js";
import { rankTools } from "./ranked-search.js";

/** The options of {@link toolSearch}. */
export interface ToolSearchOptions {
  /** The name of the tool that searches. Default: `search_tools`. */
  name?: string | undefined;
  /** Names what can be found, in words for the model, such as "calendar, mail and tickets". Default: nothing is said of it. */
  about?: string | undefined;
  /** How many tools a search finds at most. Default: 5. */
  maxResults?: number | undefined;
  /**
   * Deferred tools that take at most this share of the model's context window are sent at once, because a search costs a
   * turn. 0 defers them always. Default: 0.05.
   */
  share?: number | undefined;
  /**
   * Ranks the deferred tools for a query, best first; returns their names. Default: BM25 over names, descriptions and parameters.
   */
  search?:
    | ((query: string, tools: readonly AnyAgentTool[]) => readonly string[] | Promise<readonly string[]>)
    | undefined;
  /**
   * Lets the provider search where the model has that, which costs no turn: `toolSearchTool` of `pi-ai/server-tools` says where.
   * Its search knows neither `maxResults` nor `search`. Default: false, so that every model finds the same.
   */
  native?: boolean | undefined;
}

const mustBeShare: Check = (name, value) => {
  if (typeof value !== "number" || !(value >= 0 && value <= 1)) throwWrong(name, "a number from 0 to 1", value);
};

// A record, so that a new option fails to compile here.
const OPTIONS: Checks<keyof ToolSearchOptions> = {
  name: mustBeText,
  about: mustBeText,
  maxResults: mustBeCount,
  share: mustBeShare,
  search: mustBeFunction,
  native: mustBeFlag,
};

const DEFAULT_NAME = "search_tools";
const DEFAULT_SHARE = 0.05;
const DEFAULT_MAX_RESULTS = 5;

/**
 * Leaves tools with `loading: "deferred"` out of requests until the model has found them with a tool that searches. Tools
 * that were found are offered from the next request on, behind the others and in the order in which they were found. What
 * was found stands in the results of the searches, so sessions and durable runs go on with it. A deferred tool that the
 * model calls without a search runs as any other.
 *
 * @example
 * const agent = new Agent({
 *   initialState: { model, tools: [read, write, ...(await mcpTools(client, { load: "deferred" }))] },
 *   middleware: [toolSearch({ about: "calendar, mail and tickets" })],
 * });
 *
 * @throws TypeError that names an unknown or wrong option. A run whose tools already have the name of the tool that searches
 *   ends with an error message
 */
export function toolSearch(options: ToolSearchOptions = {}): AgentMiddleware {
  checkOptions(options, OPTIONS);
  const name = options.name ?? DEFAULT_NAME;
  return {
    name: "tool-search",
    isRepeatable: true,
    begin: (run) => {
      if (run.context.tools?.some((tool) => tool.name === name))
        throw new TypeError(
          `A tool is already called ${name}. Give the search another name: toolSearch({ name: "find_tools" })`,
        );
      const searcher = createSearcher(run, name, options);
      const isLarge = createMeasure(run, options.share);
      return {
        chooseTools: (tools) => chooseTools(run, tools, { searcher, isLarge, native: options.native }),
        tools: () => (run.context.tools?.some(isDeferred) ? [searcher] : []),
      };
    },
  };
}

type SearchedRun = Pick<MiddlewareRun, "context" | "model">;

function isDeferred({ loading }: AnyAgentTool): boolean {
  return loading === "deferred";
}

interface Search {
  /** The tool that searches. */
  searcher: AnyAgentTool;
  isLarge: (tools: readonly AnyAgentTool[]) => boolean;
  native: boolean | undefined;
}

const NATIVE = toolSearchTool();

/** The tools of the next request. */
function chooseTools(
  run: SearchedRun,
  tools: readonly AnyAgentTool[],
  { searcher, isLarge, native }: Search,
): readonly AnyAgentTool[] {
  const deferred = new Map(tools.filter(isDeferred).map((tool) => [tool.name, tool]));
  if (deferred.size === 0 || !isLarge([...deferred.values()])) return tools;
  if (native && hasToolSearch(run.model)) return [...tools, NATIVE];
  const found = findFound(run.context.messages, searcher.name, deferred);
  return [...tools.filter((tool) => !isDeferred(tool)), searcher, ...found];
}

/** Measures tools once, as long as they and the model stay the same. */
function createMeasure(run: SearchedRun, share = DEFAULT_SHARE): (tools: readonly AnyAgentTool[]) => boolean {
  let measured: { tools: readonly AnyAgentTool[]; model: SearchedRun["model"]; isLarge: boolean } | undefined;
  return (tools) => {
    const { model } = run;
    const isKnown =
      measured?.model === model &&
      measured.tools.length === tools.length &&
      measured.tools.every((tool, index) => tool === tools[index]);
    if (!measured || !isKnown) {
      const isLarge = estimateTokens({ messages: [], tools: [...tools] }, model) > share * model.contextWindow;
      measured = { tools, model, isLarge };
    }
    return measured.isLarge;
  };
}

/** The deferred tools that searches have found or that the model has called, in the order in which that happened. */
function findFound(
  messages: readonly AgentMessage[],
  name: string,
  deferred: ReadonlyMap<string, AnyAgentTool>,
): AnyAgentTool[] {
  const found = new Set<AnyAgentTool>();
  const add = (named: unknown): void => {
    const tool = typeof named === "string" ? deferred.get(named) : undefined;
    if (tool) found.add(tool);
  };
  for (const message of messages) {
    if (message.role === "assistant") for (const call of findToolCalls(message)) add(call.name);
    else if (message.role === "toolResult" && message.toolName === name) for (const one of foundIn(message)) add(one);
  }
  return [...found];
}

/** A transcript may come from anywhere. */
function foundIn({ details }: ToolResultMessage): readonly unknown[] {
  const { found } = Object(details);
  return Array.isArray(found) ? found : [];
}

const PARAMETERS = {
  type: "object",
  properties: {
    query: { type: "string", description: "What the tool should do, in a few words, or the name of a tool." },
  },
  required: ["query"],
};

function createSearcher(run: SearchedRun, name: string, options: ToolSearchOptions): AnyAgentTool {
  const { about, maxResults = DEFAULT_MAX_RESULTS, search } = options;
  return {
    name,
    label: "Search tools",
    description:
      "Searches for tools that are not listed here, by what they do. Tools that it finds can be called from then on. " +
      "Search before you say that something cannot be done." +
      (about === undefined ? "" : ` What can be found: ${about}.`),
    parameters: PARAMETERS,
    replay: "safe",
    execute: async (_toolCallId, { query }) => {
      const tools = (run.context.tools ?? []).filter(isDeferred);
      const ranked = search ? pick(tools, await search(query, tools)) : rankTools(tools, query);
      const found = ranked.slice(0, maxResults);
      const text = found.length > 0 ? found.map(describe).join("\n") : describeNothing(tools);
      return { content: [{ type: "text", text }], details: { found: found.map((tool) => tool.name) } };
    },
  };
}

/** The tools of these names, each once. */
function pick(tools: readonly AnyAgentTool[], names: unknown): AnyAgentTool[] {
  if (!Array.isArray(names)) throw new TypeError("search of toolSearch must return a list of names of tools");
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return [...new Set(names)].flatMap((name) => byName.get(name) ?? []);
}

const MAX_DESCRIPTION = 300;

function describe({ name, description }: AnyAgentTool): string {
  const shown = shortenText(visibleLine(description), MAX_DESCRIPTION, { head: MAX_DESCRIPTION, mark: () => "…" });
  return `${name}: ${shown}`;
}

const MAX_NAMES = 50;

function describeNothing(tools: readonly AnyAgentTool[]): string {
  const names = tools.slice(0, MAX_NAMES).map(({ name }) => name);
  const more = tools.length - names.length;
  return `No tool matches. Search with other words. There are: ${names.join(", ")}${more > 0 ? `, and ${more} more` : ""}.`;
}
