/**
 * Removes the server tool blocks that a request must not contain. The server rejects a use without its result unless
 * the tool is still running: at the end of the last response, or while its code waits for the application's tools. In
 * that case only results of those tools may follow (platform.claude.com, "Server tools" and "Programmatic tool
 * calling", 2026-11).
 */
import { isRecord } from "../../utils/is-object.js";
import { isResultType, isUseType } from "./own-blocks.js";
import type { WireBlock, WireMessage } from "./wire-message.js";

/** Removes results without a use, finished uses without a result, and the tool calls that those uses made. */
export function settleServerTools(wire: readonly WireMessage[]): WireMessage[] {
  if (!wire.some(({ content }) => content.some(isServerBlock))) return [...wire];
  const runningFrom = startOfRunningTurn(wire);
  const selection = new Selection(resultIds(wire));
  return wire.map(({ role, content }, index) => {
    const kept = content.flatMap((block) => selection.keep(block, index >= runningFrom));
    return { role, content: role === "user" ? content : kept };
  });
}

/** Decides for each block, in the order of the conversation, whether it stays. */
class Selection {
  readonly #finished: ReadonlySet<unknown>;
  readonly #kept = new Set<unknown>();
  readonly #dropped = new Set<unknown>();

  /** @param finished the ids of the uses with a result */
  constructor(finished: ReadonlySet<unknown>) {
    this.#finished = finished;
  }

  keep(block: WireBlock, mayRun: boolean): WireBlock[] {
    const caller = callerOf(block);
    const lostCaller = caller !== undefined && this.#dropped.has(caller);
    if (isResultType(block.type)) return this.#kept.has(block["tool_use_id"]) ? [block] : [];
    if (!isUseType(block.type)) return [lostCaller ? withoutCaller(block) : block];
    const { id } = block;
    const stays = !lostCaller && (mayRun || this.#finished.has(id));
    (stays ? this.#kept : this.#dropped).add(id);
    return stays ? [block] : [];
  }
}

function isServerBlock({ type }: WireBlock): boolean {
  return isUseType(type) || isResultType(type);
}

function resultIds(wire: readonly WireMessage[]): Set<unknown> {
  const blocks = wire.flatMap(({ role, content }) => (role === "assistant" ? content : []));
  return new Set(blocks.flatMap((block) => (isResultType(block.type) ? [block["tool_use_id"]] : [])));
}

/** The index of the first message after the last user input other than tool results. From there on, tools may run. */
function startOfRunningTurn(wire: readonly WireMessage[]): number {
  const hasOther = ({ content }: WireMessage): boolean => content.some(({ type }) => type !== "tool_result");
  return 1 + wire.findLastIndex((message) => message.role === "user" && hasOther(message));
}

/** The id of the server tool use whose code made the call. */
function callerOf({ caller }: WireBlock): unknown {
  return isRecord(caller) ? caller["tool_id"] : undefined;
}

function withoutCaller({ caller: _, ...block }: WireBlock): WireBlock {
  return block;
}

/**
 * "Tool reference 'unknown_tool' has no corresponding tool definition" (platform.claude.com, "Tool search tool", 2026-11): what a
 * search found earlier may be gone. Which tools an MCP server has is not known here.
 */
export function withoutGoneTools(body: Record<string, unknown>): Record<string, unknown> {
  const { tools = [], messages } = body;
  if (!Array.isArray(messages) || !Array.isArray(tools) || tools.some(({ type }) => type === "mcp_toolset"))
    return body;
  const contents = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  if (!contents.some(({ type }) => type === SEARCH_RESULT)) return body;
  const added = contents.flatMap(({ tool }) =>
    isRecord(tool) && isRecord(tool["definition"]) ? tool["definition"] : [],
  );
  const known = new Set([...tools, ...added].map(({ name }) => name));
  const settle = (block: WireBlock): WireBlock => {
    const { content } = block;
    if (block.type !== SEARCH_RESULT || !isRecord(content) || !Array.isArray(content["tool_references"])) return block;
    const kept = content["tool_references"].filter((found) => isRecord(found) && known.has(found["tool_name"]));
    return { ...block, content: { ...content, tool_references: kept } };
  };
  return {
    ...body,
    messages: messages.map((message) =>
      Array.isArray(message.content) ? { ...message, content: message.content.map(settle) } : message,
    ),
  };
}

const SEARCH_RESULT = "tool_search_tool_result";
