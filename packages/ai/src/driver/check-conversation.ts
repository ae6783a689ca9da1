/** Refuses a request without a conversation before it is sent: every provider does, in words that do not say why. */
import { ConfigError } from "../errors.js";
import type { Context } from "../types/context.js";
import { isRecord } from "../utils/is-object.js";
import type { VendorAdapter } from "./api-adapter.js";

/** The fields in which the apis of this package hold the conversation. */
const FIELDS: readonly string[] = ["messages", "input", "contents"];
const INSTRUCTIONS: ReadonlySet<unknown> = new Set(["system", "developer"]);

/**
 * A context without messages is sent as it is: the caller may mean it, and `onPayload` may fill it.
 *
 * @throws ConfigError if none of the messages is in the body
 */
export function checkConversation(adapter: VendorAdapter, body: unknown, { messages }: Context): void {
  // Only of the apis of this package is it known what a body must hold.
  if (!adapter.toolRows || messages.length === 0) return;
  const entries = entriesOf(body);
  if (entries === undefined || entries.some((entry) => !isRecord(entry) || !INSTRUCTIONS.has(entry["role"]))) return;
  throw new ConfigError(
    "The request has no message to send: each of context.messages is blank, failed, or the result of a call that is missing. Add a user message with text.",
  );
}

function entriesOf(body: unknown): readonly unknown[] | undefined {
  if (!isRecord(body)) return undefined;
  // Code Assist wraps the request.
  const fields = isRecord(body["request"]) ? body["request"] : body;
  return FIELDS.map((name) => fields[name]).find(Array.isArray);
}
