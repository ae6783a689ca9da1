/** Finds the point up to which a provider has compacted a conversation on its servers. */
import type { AssistantMessage } from "../types/message.js";
import type { Model } from "../types/model.js";
import type { CompactionContent } from "../types/provider-content.js";
import { isSameModel } from "./same-model.js";

/**
 * The index of the model's latest response with a `compaction` block. The provider drops what came before the block, so
 * requests omit the messages before this response (platform.claude.com, "Compaction"; developers.openai.com,
 * "Compaction"; both 2026-11). 0 if there is none: a block of another model, of a failed response, or of a failed
 * compaction does not count.
 */
export function findServerCompaction(
  messages: readonly { role: string }[],
  model: Pick<Model, "api" | "provider" | "id">,
): number {
  const isCompacted = (message: { role: string }): boolean =>
    isReplayed(message) && isSameModel(message, model) && hasCompaction(message);
  return Math.max(0, messages.findLastIndex(isCompacted));
}

function isReplayed(message: { role: string }): message is AssistantMessage {
  if (message.role !== "assistant" || !("stopReason" in message)) return false;
  return message.stopReason !== "error" && message.stopReason !== "aborted";
}

function hasCompaction({ content }: AssistantMessage): boolean {
  return Array.isArray(content) && content.some((block) => block?.type === "compaction" && goesBack(block));
}

/** Whether the provider's own item, with content, is sent back. Anthropic ignores the empty item of a failed one. */
function goesBack({ text, signature = "" }: CompactionContent): boolean {
  // The signature is JSON. A string inside it cannot match, because its quotation marks are escaped.
  const isItem = signature.includes('"type":"compaction"');
  return isItem && (text !== undefined || signature.includes('"encrypted_content":"'));
}
