/** The events of a response. */
import type {
  AssistantImage,
  AssistantMessage,
  Citation,
  CompactionContent,
  FileContent,
  ServerToolContent,
  StopReason,
  ToolCall,
} from "./message.js";

/**
 * One event of a response, the same for every provider. In every stream:
 *
 * 1. `start` comes first, once. A failure before anything arrived is a single `error` event.
 * 2. For each `contentIndex`: one `*_start`, any number of `*_delta`, one `*_end`, also if the stream fails.
 *    The index is the block's place in `partial.content` and never changes. Blocks may interleave. A server tool has
 *    `servertool_update` in place of deltas, and may end much later than the next block. Blocks that arrive whole (files,
 *    images, compactions) have only their end. `citation` belongs to a text block, which may have ended.
 * 3. The joined deltas of a text or thinking block equal its final content.
 * 4. One terminal event, `done` or `error`, comes last.
 *
 * `partial` is a snapshot: it never changes after the event, except the `arguments` of a tool call that is still
 * streaming, which are a live view. A change costs a copy of the list of blocks, so a snapshot of a message with hundreds
 * of blocks costs time in proportion to their number. Beyond 1,024 blocks, which only a flood has, the list is copied in
 * steps, and the snapshots of one step share it: an earlier one then shows the later blocks of its step, too.
 */
export type AssistantMessageEvent =
  | { type: "start"; partial: AssistantMessage }
  | { type: "text_start"; contentIndex: number; partial: AssistantMessage }
  | { type: "text_delta"; contentIndex: number; delta: string; partial: AssistantMessage }
  | { type: "text_end"; contentIndex: number; content: string; partial: AssistantMessage }
  | { type: "thinking_start"; contentIndex: number; partial: AssistantMessage }
  | { type: "thinking_delta"; contentIndex: number; delta: string; partial: AssistantMessage }
  | { type: "thinking_end"; contentIndex: number; content: string; partial: AssistantMessage }
  | { type: "toolcall_start"; contentIndex: number; partial: AssistantMessage }
  | { type: "toolcall_delta"; contentIndex: number; delta: string; partial: AssistantMessage }
  | { type: "toolcall_end"; contentIndex: number; toolCall: ToolCall; partial: AssistantMessage }
  | { type: "servertool_start"; contentIndex: number; partial: AssistantMessage }
  /** `delta`: the next piece of the input, as JSON text. Without it, other fields of the block have changed. */
  | { type: "servertool_update"; contentIndex: number; delta?: string; partial: AssistantMessage }
  | { type: "servertool_end"; contentIndex: number; serverTool: ServerToolContent; partial: AssistantMessage }
  | { type: "file_end"; contentIndex: number; file: AssistantImage | FileContent; partial: AssistantMessage }
  | { type: "compaction_end"; contentIndex: number; compaction: CompactionContent; partial: AssistantMessage }
  | { type: "citation"; contentIndex: number; citation: Citation; partial: AssistantMessage }
  /** A route started the response over with another model: everything before this event is void. `partial` is empty. */
  | { type: "attempt_reset"; partial: AssistantMessage }
  | { type: "done"; reason: Exclude<StopReason, "error" | "aborted">; message: AssistantMessage }
  | { type: "error"; reason: Extract<StopReason, "error" | "aborted">; error: AssistantMessage };
