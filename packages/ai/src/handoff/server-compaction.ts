/** Compactions that a provider made on its servers. */
import type { AssistantMessage } from "../types/message.js";
import type { Model } from "../types/model.js";
import type { CompactionContent } from "../types/provider-content.js";
import { isSameModel } from "./same-model.js";

/**
 * The position from which a model reads a conversation: its latest response with a `compaction` block. The provider drops
 * what came before the block, so requests leave out the messages before this response (platform.claude.com, "Compaction";
 * developers.openai.com, "Compaction"; both 2026-11). 0 if there is none: a block of another model, of a failed response, or
 * of a compaction that failed does not count.
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

/** Whether the provider's own item goes back and has content. Anthropic ignores one without, of a compaction that failed. */
function goesBack({ text, signature = "" }: CompactionContent): boolean {
  // The signature is JSON: a text in it cannot look like this, because its quotes are escaped.
  const isItem = signature.includes('"type":"compaction"');
  return isItem && (text !== undefined || signature.includes('"encrypted_content":"'));
}
