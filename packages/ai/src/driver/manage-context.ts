/** Says in a request what the provider should do with a long conversation. */
import { leavesOutThinking } from "../catalogue/compat/index.js";
import type { WireRequest } from "../transport/index.js";
import type { ContextManagement } from "../types/context-management.js";
import { isRecord } from "../utils/is-object.js";
import type { ApiRequest, VendorAdapter } from "./api-adapter.js";

export async function manageContext(
  built: WireRequest,
  { contextManagement: rows }: Pick<VendorAdapter, "contextManagement">,
  { model, options }: Pick<ApiRequest, "model" | "options">,
): Promise<WireRequest> {
  // Anthropic refuses a thread with this field, and the caller has asked for a thread.
  const keeps = leavesOutThinking(model) && !(options.conversation === "thread" && options.sessionId);
  const management = keeps ? keepThinking(options.contextManagement) : options.contextManagement;
  if (!management) return built;
  const { addContextManagement } = await import("../request/context-management/add-context-management.js");
  return addContextManagement(built, model, management, rows);
}

/** The caller's own word about thinking counts, `false` too. A value of another type is refused later, as it is. */
function keepThinking(given: ContextManagement | undefined): ContextManagement | undefined {
  if (given === undefined) return { clearThinking: { keep: "all" } };
  return isRecord(given) && given.clearThinking === undefined ? { ...given, clearThinking: { keep: "all" } } : given;
}
