/** Resolves conflicts between thinking and a forced tool choice, or a turn that began without thinking. */
import type { RequestNote } from "../transport/index.js";

interface ThinkingRequest {
  /** The caller requested thinking. */
  wanted: boolean;
  /** The tool choice that forces a tool call; undefined if the model may choose. */
  forcedTool: unknown;
  /** The model rejects disabled thinking. */
  alwaysThinks: boolean;
  /** The request continues a tool loop that began without thinking. */
  isTurnWithoutThinking: boolean;
  /** The limit of the response leaves no room for a thinking budget. */
  lacksRoom: boolean;
}

export interface ThinkingPlan {
  thinks: boolean;
  /** The request must omit the tool choice. */
  relaxesToolChoice: boolean;
  notes: RequestNote[];
}

/**
 * Claude rejects thinking together with a forced tool call, as other families do (`forcedToolCalls` in their rows), and
 * thinking that begins in the middle of a tool loop (platform.claude.com, "Thinking with tool use", 2026-11). The request omits thinking, or the tool choice if the
 * model always thinks, and adds a diagnostic.
 */
export function planThinking({
  wanted,
  forcedTool,
  alwaysThinks,
  isTurnWithoutThinking,
  lacksRoom,
}: ThinkingRequest): ThinkingPlan {
  const isForced = forcedTool !== undefined;
  if (isForced && alwaysThinks) {
    const notes = [{ type: "tool_choice_relaxed", details: { toolChoice: forcedTool, sent: "auto" } }];
    return { thinks: wanted, relaxesToolChoice: true, notes };
  }
  const reasons = { forced_tool_choice: isForced, turn_without_thinking: isTurnWithoutThinking, no_room: lacksRoom };
  const reason = Object.entries(reasons).find(([, applies]) => applies)?.[0];
  if (!wanted || reason === undefined) return { thinks: wanted, relaxesToolChoice: false, notes: [] };
  return { thinks: false, relaxesToolChoice: false, notes: [{ type: "thinking_disabled", details: { reason } }] };
}
