/** What Claude takes when thinking and a tool choice, or the turn that is under way, exclude each other. */
import type { RequestNote } from "../transport/wire-request.js";

interface ThinkingWish {
  /** The caller asks for thinking. */
  wanted: boolean;
  /** The tool choice that makes a tool call certain; undefined where the model may choose. */
  forcedTool: unknown;
  /** The model refuses to be told not to think. */
  alwaysThinks: boolean;
  /** The turn began without thinking, and a tool loop in it is still under way. */
  isTurnWithoutThinking: boolean;
}

export interface ThinkingPlan {
  thinks: boolean;
  /** The tool choice has to be left to the model. */
  relaxesToolChoice: boolean;
  notes: RequestNote[];
}

/**
 * Claude refuses thinking together with a forced tool call, and thinking that begins in the middle of a tool loop
 * (platform.claude.com, "Thinking with tool use", 2026-11). Thinking is left out, or the tool choice where the model
 * always thinks. A diagnostic says so.
 */
export function planThinking({ wanted, forcedTool, alwaysThinks, isTurnWithoutThinking }: ThinkingWish): ThinkingPlan {
  const isForced = forcedTool !== undefined;
  if (isForced && alwaysThinks) {
    const notes = [{ type: "tool_choice_relaxed", details: { toolChoice: forcedTool, sent: "auto" } }];
    return { thinks: wanted, relaxesToolChoice: true, notes };
  }
  const reason = isForced ? "forced_tool_choice" : isTurnWithoutThinking ? "turn_without_thinking" : undefined;
  if (!wanted || reason === undefined) return { thinks: wanted, relaxesToolChoice: false, notes: [] };
  return { thinks: false, relaxesToolChoice: false, notes: [{ type: "thinking_disabled", details: { reason } }] };
}
