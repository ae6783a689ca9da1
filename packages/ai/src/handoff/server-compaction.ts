/** Compactions that a provider made on its servers. */
import type { AssistantMessage, Message } from "../types/message.js";
import type { Model } from "../types/model.js";
import type { CompactionContent } from "../types/provider-content.js";
import { isSameModel } from "./same-model.js";
import { readWireItems } from "./wire-items.js";

/**
 * Where a request to the model may begin: at the latest response with a compaction by the same model, whose provider drops
 * everything before the compaction itself (platform.claude.com, "Compaction"; developers.openai.com, "Compaction"; both
 * 2026-11). 0 if there is none. The response stays whole, so that its tool calls keep their results.
 */
export function findServerCompaction(
  messages: readonly Message[],
  model: Pick<Model, "api" | "provider" | "id">,
): number {
  return Math.max(
    0,
    messages.findLastIndex((message) => isReplayed(message) && isSameModel(message, model) && hasCompaction(message)),
  );
}

function isReplayed(message: Message): message is AssistantMessage {
  return message.role === "assistant" && message.stopReason !== "error" && message.stopReason !== "aborted";
}

function hasCompaction({ content }: AssistantMessage): boolean {
  return Array.isArray(content) && content.some((block) => block?.type === "compaction" && isEffective(block));
}

/** One that failed has no content; the provider ignores it. Without its item, nothing goes back that the provider reads. */
function isEffective({ signature }: CompactionContent): boolean {
  return readWireItems(signature).some(
    ({ content, encrypted_content: encrypted }) => typeof content === "string" || typeof encrypted === "string",
  );
}
