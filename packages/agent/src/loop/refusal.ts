/** A run that cannot begin. */
import type { AssistantMessage, Model } from "pi-ai";
import { createAssistantMessage, formatThrownValue, PiError } from "pi-ai/call";
import type { AgentLoopConfig } from "../types/config.js";
import type { AgentEvent } from "../types/event.js";
import type { AgentMessage } from "../types/message.js";

/** Emits the events of a run that could not begin, because its configuration is wrong. */
export function emitRefusal(
  emit: (event: AgentEvent) => void,
  error: unknown,
  config: AgentLoopConfig | undefined,
): void {
  // Callers in plain JavaScript may have passed no model.
  const message: AgentMessage = {
    ...createEmptyResponse(config?.model ?? { api: "unknown", provider: "unknown", id: "unknown" }),
    errorMessage: formatThrownValue(error),
    error: PiError.is(error) ? error.info : { kind: "config" },
  };
  emit({ type: "agent_start" });
  emit({ type: "turn_start" });
  emit({ type: "message_start", message });
  emit({ type: "message_end", message });
  emit({ type: "turn_end", message, toolResults: [] });
  emit({ type: "agent_end", messages: [message] });
}

/** A failed response without content. */
export function createEmptyResponse(model: Pick<Model, "api" | "provider" | "id">): AssistantMessage {
  return { ...createAssistantMessage(model), content: [{ type: "text", text: "" }], stopReason: "error" };
}
