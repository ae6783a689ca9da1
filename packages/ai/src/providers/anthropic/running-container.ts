/** The sandbox in which code of the last response still runs. */
import { isSameModel } from "../../request/index.js";
import type { AssistantMessage, Message } from "../../types/message.js";
import type { Model } from "../../types/model.js";
import { isRecord } from "../../utils/is-object.js";
import { isUseType } from "./own-blocks.js";
import type { WireBlock, WireMessage } from "./wire-message.js";

/**
 * Names the container of the last response if its code waits for results of the application's tools, or if a pause
 * interrupted it (platform.claude.com, "Programmatic tool calling" and "Agent Skills", 2026-11). Otherwise returns no
 * field, because a container expires and the server creates a new one.
 */
export function runningContainer(
  history: readonly Message[],
  wire: readonly WireMessage[],
  model: Model,
): { container?: string } {
  const last = wire.findLast(({ role }) => role === "assistant");
  if (!last) return {};
  const finished = new Set(last.content.map((block) => block["tool_use_id"]));
  const isRunning = (block: WireBlock): boolean => isUseType(block.type) && !finished.has(block["id"]);
  if (!last.content.some((block) => isCalledByCode(block) || isRunning(block))) return {};
  const holdsContainer = (message: Message): message is AssistantMessage =>
    message.role === "assistant" && message.container !== undefined && isSameModel(message, model);
  const id = history.findLast(holdsContainer)?.container?.id;
  return id === undefined ? {} : { container: id };
}

function isCalledByCode({ type, caller }: WireBlock): boolean {
  return type === "tool_use" && isRecord(caller) && caller["tool_id"] !== undefined;
}
