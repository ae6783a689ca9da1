import type { UIMessageOptions } from "./chunk-options.js";
import type { UIMessageChunk } from "./ui-message-chunk.js";

/**
 * Returns a chunk as a version of the AI SDK understands it. The versions 5 and 6 end a stream with an error for a chunk
 * that they do not know, so they receive a data part in its place (`ai` 5.0.277 and 6.0.326, 2026-11-23).
 */
export function toSdk(chunk: UIMessageChunk, sdk: NonNullable<UIMessageOptions["sdk"]>): readonly UIMessageChunk[] {
  switch (chunk.type) {
    case "steering-message":
      if (sdk < 7) return [{ type: "data-steering-message", id: chunk.id, data: { parts: chunk.parts } }];
      break;
    case "reset-step":
      // The new step keeps the page's helpers, which look at the last step, from finding the tools that are void.
      if (sdk < 7) return [{ type: "data-reset-step", data: {} }, { type: "finish-step" }, { type: "start-step" }];
      break;
    case "tool-approval-response":
      if (sdk < 7) return [];
      break;
    case "tool-approval-request": {
      const { approvalId, toolCallId } = chunk;
      if (sdk < 6) return [{ type: "data-tool-approval-request", id: approvalId, data: { approvalId, toolCallId } }];
      break;
    }
    case "tool-output-denied":
      if (sdk < 6) return [{ ...chunk, type: "tool-output-error", dynamic: true, errorText: "The call was declined" }];
  }
  return [chunk];
}
