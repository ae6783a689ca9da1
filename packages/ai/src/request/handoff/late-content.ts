/** Finds conversations that need the code in `foreign-content.ts`, and loads it. */
import type { AssistantBlock, AssistantMessage, Message, UserBlock } from "../../types/message.js";
import type { Model } from "../../types/model.js";
import { type LateCode, lateCode } from "../../utils/late-code.js";
import { isFailure } from "../../utils/message-facts.js";

export const foreignContent: LateCode<typeof import("./foreign-content.js")> = /* @__PURE__ */ lateCode(
  () => import("./foreign-content.js"),
);

/** Whether the conversation has content that must be described or converted for this model. */
export function needsForeignContent(messages: readonly Message[], model: Model): boolean {
  return messages.some((message) => isForeign(message, model));
}

function isForeign(message: Message, model: Model): boolean {
  if (message.role === "assistant") {
    if (isFailure(message.stopReason)) return false;
    const { content } = message;
    return (
      !isSameModel(message, model) ||
      (Array.isArray(content) && content.some((block) => lacksItems(block) || hasLateItems(block)))
    );
  }
  const { content } = message;
  return Array.isArray(content) && content.some((part) => part && !isPlain(part, model));
}

/** Whether an own block cannot go back as it came; see `toOwn`. */
function lacksItems(block: AssistantBlock | undefined): boolean {
  return (block?.type === "serverTool" || block?.type === "compaction") && block.signature === undefined;
}

/** Whether an item of the block may stand elsewhere on the wire; see `inWireOrder`. */
export function hasLateItems(block: AssistantBlock | undefined): boolean {
  // Cheaper than parsing what may be megabytes: `writeWireItems` puts `at` first.
  return block?.type === "serverTool" && (block.signature?.includes('{"at":') ?? false);
}

/** Whether the model accepts a part of a user message, or of a tool result, without a look at the tables of files. */
export function isPlain(part: UserBlock, model: Model): boolean {
  return part.type === "text" || (part.type === "image" && model.input.includes("image"));
}

/** Whether the target model produced the message. */
export function isSameModel(message: AssistantMessage, model: Pick<Model, "api" | "provider" | "id">): boolean {
  return message.provider === model.provider && message.api === model.api && message.model === model.id;
}
