/** A run that cannot begin. */
import type { AssistantMessage, ErrorInfo, Model } from "pi-ai";
import { createAssistantMessage, formatThrownValue, PiError } from "pi-ai/call";
import type { AgentLoopConfig } from "../types/config.js";
import type { AgentEvent } from "../types/event.js";
import type { AgentMessage } from "../types/message.js";

export interface Refusal {
  config: AgentLoopConfig | undefined;
  /** The prompts, if the conversation keeps them. */
  prompts?: readonly AgentMessage[];
  /** Whether `agent_start` was emitted. */
  hasBegun?: boolean;
  /** Whether the run was aborted before its code was there. */
  isAborted?: boolean;
}

/** Emits the events of a run that could not begin: its configuration is wrong, its code is missing, or it was aborted. */
export async function emitRefusal(
  emit: (event: AgentEvent) => void | Promise<void>,
  error: unknown,
  { config, prompts = [], hasBegun = false, isAborted = false }: Refusal,
): Promise<void> {
  // Callers in plain JavaScript may have passed no model.
  const failed: AgentMessage = {
    ...createEmptyResponse(config?.model ?? { api: "unknown", provider: "unknown", id: "unknown" }),
    ...(isAborted ? ABORTED : { errorMessage: formatThrownValue(error), error: infoOf(error) }),
  };
  if (!hasBegun) await emit({ type: "agent_start" });
  await emit({ type: "turn_start" });
  for (const message of [...prompts, failed]) {
    await emit({ type: "message_start", message });
    await emit({ type: "message_end", message });
  }
  await emit({ type: "turn_end", message: failed, toolResults: [] });
  await emit({ type: "agent_end", messages: [...prompts, failed] });
}

/** The error of a response that was aborted. */
export const ABORTED_TEXT = "Request was aborted";

const ABORTED = { stopReason: "aborted", errorMessage: ABORTED_TEXT, error: { kind: "aborted" } } as const;

function infoOf(error: unknown): ErrorInfo {
  return PiError.is(error) ? error.info : { kind: "config" };
}

/** A failed response without content. */
export function createEmptyResponse(model: Pick<Model, "api" | "provider" | "id">): AssistantMessage {
  return { ...createAssistantMessage(model), content: [{ type: "text", text: "" }], stopReason: "error" };
}
