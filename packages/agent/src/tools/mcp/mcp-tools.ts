/** The tools of an MCP server as tools of an agent, and its prompts and resources. */
import type { UserBlock } from "pi-ai";
import { DEFAULT_MAX_JSON_DEPTH, isRecord, visibleLine, visibleText } from "pi-ai/call";
import {
  type Checks,
  checkOptions,
  mustBeDuration,
  mustBeFunction,
  mustBeList,
  mustBeOneOf,
  mustBeText,
} from "../../checks.js";
import { isEqual } from "../../is-equal.js";
import { TOOL_ERROR_BLOCKS } from "../../types/parent-run.js";
import type { AgentToolOutput, AnyAgentTool } from "../../types/tool.js";
import { MAX_LENGTH, toBlocks } from "./blocks.js";
import {
  connectionOf,
  type McpConnection,
  type McpPromptInfo,
  type McpRequestOptions,
  type McpResourceInfo,
  type McpSource,
  type McpToolInfo,
  NO_TIMEOUT_MS,
  shortenError,
} from "./connection.js";
import { callElicited } from "./elicitation.js";
import { listAll } from "./lists.js";
import { checkOutputSchema, createPatternBudget, type PatternBudget, toParameters } from "./tool-schemas.js";

/** The options of {@link mcpTools}. */
export interface McpToolsOptions {
  /** A prefix for each name, such as `files_`, that keeps the tools of several servers apart. Default: none. */
  prefix?: string | undefined;
  /** The longest time without a result or a report of progress, in milliseconds; 0 = none. Default: the client's, 60,000. */
  timeoutMs?: number | undefined;
  /** Chooses tools. Default: all. */
  filter?: ((tool: McpToolInfo) => boolean) | undefined;
  /**
   * `"deferred"` leaves the tools out of requests until the model has found them, with `toolSearch` of `pi-agent/tool-search`.
   * Default: they are sent.
   */
  load?: "deferred" | undefined;
  /** The names, with or without the prefix, of tools that are sent although the others are deferred. Default: none. */
  always?: readonly string[] | undefined;
  /**
   * Receives each tool that is omitted because it could not be used, and the reason: a schema that is too large, an invalid
   * output schema, a tool that runs as a task only, or a second tool of one name. Default: `console.warn`.
   */
  onSkipped?: ((tool: McpToolInfo, reason: string) => void) | undefined;
}

const OPTIONS: Checks<keyof McpToolsOptions> = {
  prefix: mustBeText,
  timeoutMs: mustBeDuration,
  filter: mustBeFunction,
  load: mustBeOneOf(["deferred"]),
  always: mustBeList,
  onSkipped: mustBeFunction,
};

/** The data for the host in the result of a tool of an MCP server. */
export interface McpToolDetails {
  /** The `structuredContent` of the result. */
  structuredContent?: unknown;
  /** The items of the result that no block can hold, such as audio. The content only names them. */
  other?: unknown[];
}

/**
 * Returns the tools of an MCP server, sorted by name, so that requests stay the same while the tools do. Progress arrives
 * as updates of the call, an abort cancels the call on the server, and `isError` produces an error result.
 *
 * A tool may run again (`replay: "safe"`) if the server calls it read-only or idempotent. Descriptions, hints and schemas
 * come from the server: use `filter` to choose the tools of a server that you do not trust. Regular expressions in
 * schemas are not used.
 *
 * @param source a connected client, or a function that connects one and is called again when the connection was lost
 * @throws the client's error when the list cannot be read; ConfigError for a `timeoutMs` that is not a duration, TypeError for another
 *   wrong option
 */
export async function mcpTools(source: McpSource, options: McpToolsOptions = {}): Promise<AnyAgentTool[]> {
  checkOptions(options, OPTIONS);
  const { prefix = "", timeoutMs, filter = () => true, load, always = [], onSkipped = warn } = options;
  const connection = connectionOf(source);
  const found = await listAll(connection, "Tools");
  const chosen = new Map<string, McpToolInfo>();
  for (const tool of found.filter(filter)) {
    const fullName = prefix + tool.name;
    if (chosen.has(fullName)) onSkipped(tool, "Another tool of the server has this name, and is used");
    else chosen.set(fullName, tool);
  }
  const tools: AnyAgentTool[] = [];
  const patterns = createPatternBudget();
  for (const [fullName, name] of nameTools([...chosen.keys()].sort())) {
    const tool = chosen.get(fullName);
    if (!tool) continue;
    try {
      const created = createTool(connection, tool, { name, timeoutMs, patterns });
      const isSent = always.includes(name) || always.includes(tool.name);
      tools.push(load && !isSent ? { ...created, loading: load } : created);
    } catch (error) {
      onSkipped(tool, visibleText(String(error)));
    }
  }
  return tools.sort((one, other) => (one.name < other.name ? -1 : 1));
}

function warn(tool: McpToolInfo, reason: string): void {
  const name = visibleLine(JSON.stringify(tool.name) ?? "without a name").slice(0, 80);
  // biome-ignore lint/suspicious/noConsole: a tool that is missing without a word is searched for a long time.
  console.warn(`The MCP tool ${name} was omitted. ${reason}`);
}

interface ToolSettings {
  name: string;
  timeoutMs: number | undefined;
  patterns: PatternBudget;
}

function createTool(
  connection: McpConnection,
  tool: McpToolInfo,
  { name, timeoutMs, patterns }: ToolSettings,
): AnyAgentTool {
  if (typeof tool.name !== "string") throw new Error("It has no name");
  if (tool.execution?.taskSupport === "required")
    throw new Error("It runs as a task only (execution.taskSupport), which mcpTools does not support");
  if (tool.outputSchema !== undefined) checkOutputSchema(tool.outputSchema, patterns);
  const { readOnlyHint, idempotentHint } = tool.annotations ?? {};
  const replay = readOnlyHint || idempotentHint ? "safe" : "never";
  // People approve a call by these words, and the model reads the description.
  const label = visibleLine(cutText(textOf(tool.title) ?? tool.name, MAX_TITLE));
  return {
    name,
    label,
    description: visibleText(cutText(textOf(tool.description) ?? label, MAX_DESCRIPTION)),
    parameters: toParameters(tool.inputSchema),
    replay,
    execute: async (_toolCallId, args, signal, onUpdate, context) => {
      const options: McpRequestOptions = { signal, resetTimeoutOnProgress: true };
      if (timeoutMs !== undefined) options.timeout = timeoutMs || NO_TIMEOUT_MS;
      if (onUpdate) options.onprogress = (progress) => onUpdate(toUpdate(progress));
      const call = { tool, args, options, pausing: context?.pausing };
      return toResult(await connection((client) => callElicited(client, call), replay === "safe"));
    },
  };
}

/** The longest title, and the longest description, in characters. Every request of the conversation holds the second. */
const MAX_TITLE = 200;
const MAX_DESCRIPTION = 20_000;

const cutText = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text;

/** Undefined for a field that the server omitted or that is not a text. */
const textOf = (field: unknown): string | undefined => (typeof field === "string" ? field : undefined);

function toUpdate(report: { progress: number; total?: number; message?: string }): AgentToolOutput {
  const { progress, total, message } = report;
  const shown = typeof message === "string" ? visibleText(cutText(message, MAX_DESCRIPTION)) : undefined;
  const text = shown ?? (total === undefined ? `${progress}` : `${progress} of ${total}`);
  return { content: [{ type: "text", text }], details: shown === undefined ? report : { ...report, message: shown } };
}

function toResult(value: unknown): AgentToolOutput {
  const { content: items, structuredContent, isError }: Record<string, unknown> = isRecord(value) ? value : {};
  const other: unknown[] = [];
  const content = toBlocks(items, other);
  const details: McpToolDetails = {};
  if (structuredContent !== undefined) details.structuredContent = structuredContent;
  if (other.length > 0) details.other = other;
  checkDetails(details);
  if (structuredContent !== undefined && !isShown(structuredContent, content))
    content.push({ type: "text", text: JSON.stringify(structuredContent) });
  if (isError) throw toError(content);
  return { content, details };
}

/** The error of a result with `isError`. It keeps what is not text, such as a picture of the page that failed. */
function toError(content: readonly UserBlock[]): Error {
  // Cut before they are joined. The model reads the beginning and the end of all of them.
  const texts = content.map((block) => (block.type === "text" ? shortenError(block.text) : ""));
  const blocks = content.filter(({ type }) => type !== "text");
  return Object.assign(new Error(texts.join("\n")), blocks.length > 0 && { [TOOL_ERROR_BLOCKS]: blocks });
}

/**
 * Whether a text already shows the structured content: as its JSON, in any order of the keys, or as the value that the
 * SDKs put into `{ "result": … }`, because structured content must be an object. A comparison ends at the first difference,
 * so that many texts beside a large one cost no more than their own length.
 */
function isShown(structured: unknown, content: readonly UserBlock[]): boolean {
  const wrapped = isRecord(structured) && Object.keys(structured).length === 1 ? structured["result"] : undefined;
  const sizes = new Map<object, number>();
  return content.some((block) => {
    if (block.type !== "text") return false;
    if (block.text === wrapped) return true;
    try {
      const said: unknown = JSON.parse(block.text);
      return [structured, wrapped].some((value) => isEqual(said, value, DEFAULT_MAX_JSON_DEPTH, sizes));
    } catch {
      return false; // no JSON
    }
  });
}

/** @throws Error for details that no log could store and no page could receive, or that are too long */
function checkDetails(details: McpToolDetails): void {
  let length: number;
  try {
    ({ length } = JSON.stringify(details));
  } catch (error) {
    throw new Error("The result is nested too deeply", { cause: error });
  }
  if (length > MAX_LENGTH) throw new Error(`The MCP server has sent more than ${MAX_LENGTH} characters`);
}

/** The strictest rule, of Gemini and OpenAI: at most 64 letters, digits, `_` and `-`, and neither digit nor `-` first. */
const ALLOWED = /^[a-z_][\w-]{0,63}$/i;

/**
 * Returns the name of each tool, by its name on the server. A valid name stays. Any other is cut and gets a hash of the
 * whole name, so that it does not depend on the other tools.
 */
function nameTools(names: readonly string[]): Map<string, string> {
  const taken = new Set(names);
  // A server can find any number of names with one hash: each number is tried once.
  const tries = new Map<string, number>();
  return new Map(
    names.map((name) => {
      if (ALLOWED.test(name)) return [name, name];
      const start = name
        .slice(0, 55)
        .replace(/\W/g, "_")
        .replace(/^(?=\d)/, "_")
        .slice(0, 55);
      const hash = hashOf(name);
      let fitting = `${start}_${hash}`;
      for (let count = tries.get(fitting) ?? 0; taken.has(fitting); tries.set(`${start}_${hash}`, count))
        fitting = `${start}_${hashOf(`${hash} ${++count}`)}`;
      taken.add(fitting);
      return [name, fitting];
    }),
  );
}

/** FNV-1a, 32 bits, in base 36: at most 7 characters. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash >>> 0).toString(36);
}

/** A prompt or a resource with visible texts, for people. It is requested by the name or `uri` that the server sent. */
export function visibleInfo<TInfo extends McpPromptInfo | McpResourceInfo>(info: TInfo): TInfo {
  const shown = visibleFields(info);
  if ("arguments" in shown && Array.isArray(shown.arguments))
    shown.arguments = shown.arguments.filter(isRecord).map(visibleFields);
  return shown;
}

/** Descriptions may have several lines. */
function visibleFields<TFields extends object>(fields: TFields): TFields {
  const shown = Object.entries(fields).map(([name, value]) => {
    const show = name === "description" ? visibleText : visibleLine;
    return [name, typeof value === "string" ? show(cutText(value, MAX_DESCRIPTION)) : value];
  });
  return Object.fromEntries(shown); // the same fields
}
