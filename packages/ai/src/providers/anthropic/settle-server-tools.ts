/**
 * Makes the server's own tools fit into a request. The server rejects a use without its result, except where it still
 * runs: at the end of a response that goes back as it is, and while the application's tools are awaited. Only results of
 * those tools may follow then (platform.claude.com, "Server tools" and "Programmatic tool calling", 2026-11).
 */
import { isRecord } from "../../utils/is-object.js";
import { isResultType, isUseType } from "./block-types.js";
import type { WireBlock, WireMessage } from "./messages.js";

/** Removes the results without a use, the uses that have ended without a result, and what these called. */
export function settleServerTools(wire: readonly WireMessage[]): WireMessage[] {
  if (!wire.some(({ content }) => content.some(isServerBlock))) return [...wire];
  const finished = resultIds(wire);
  const runningFrom = startOfRunningTurn(wire);
  const kept = new Set<unknown>();
  const dropped = new Set<unknown>();
  return wire.map((message, index) => {
    if (message.role === "user") return message;
    const content = message.content.flatMap((block): WireBlock[] => {
      const isRoot = !dropped.has(callerOf(block));
      if (isUseType(block.type)) {
        const stays = isRoot && (finished.has(block["id"]) || index >= runningFrom);
        (stays ? kept : dropped).add(block["id"]);
        return stays ? [block] : [];
      }
      if (isResultType(block.type)) return kept.has(block["tool_use_id"]) ? [block] : [];
      return [isRoot ? block : withoutCaller(block)];
    });
    return { ...message, content };
  });
}

function isServerBlock({ type }: WireBlock): boolean {
  return isUseType(type) || isResultType(type);
}

function resultIds(wire: readonly WireMessage[]): Set<unknown> {
  const blocks = wire.flatMap(({ role, content }) => (role === "assistant" ? content : []));
  return new Set(blocks.flatMap((block) => (isResultType(block.type) ? [block["tool_use_id"]] : [])));
}

/** The first message after everything that is not a result of the application's tools: tools may run from there on. */
function startOfRunningTurn(wire: readonly WireMessage[]): number {
  return 1 + wire.findLastIndex(({ role, content }) => role === "user" && content.some(isNoResult));
}

function isNoResult({ type }: WireBlock): boolean {
  return type !== "tool_result";
}

function callerOf({ caller }: WireBlock): unknown {
  return isRecord(caller) ? (caller["tool_id"] ?? noCaller) : noCaller;
}

/** No use has this id. */
const noCaller = Symbol("no caller");

function withoutCaller({ caller: _, ...block }: WireBlock): WireBlock {
  return block;
}
