/** Who produced a message. */
import type { AssistantMessage } from "../../types/message.js";
import type { Model } from "../../types/model.js";

/** Whether the target model produced the message. */
export function isSameModel(message: AssistantMessage, model: Pick<Model, "api" | "provider" | "id">): boolean {
  return message.provider === model.provider && message.api === model.api && message.model === model.id;
}
