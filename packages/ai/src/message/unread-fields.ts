/** Remembers fields of a context that other versions of these types have, and that no adapter reads. */
import type { Context, Tool } from "../types/context.js";
import { isObject, isRecord } from "../utils/is-object.js";

const SYSTEM_ROLES: ReadonlySet<unknown> = new Set(["system", "developer"]);
/** Fields of system messages that name parts of a prompt, and changes of the tools. */
const SYSTEM_FIELDS = ["tools"] as const;

const unread = new WeakMap<Context, readonly string[]>();

/** The fields of a context that are not read, for a diagnostic; undefined if there are none. */
export function unreadFieldsOf(context: Context): readonly string[] | undefined {
  return unread.get(context);
}

/** Returns the context, whose fields are remembered. */
export function withUnreadFields(context: Context, fields: readonly string[]): Context {
  if (fields.length > 0) unread.set(context, fields);
  return context;
}

/** The names of the fields, such as `system.sections`. */
export function findUnreadFields(messages: unknown, tools: readonly Tool[] | undefined): string[] {
  const ofMessages = Array.isArray(messages) ? messages.flatMap(systemFields) : [];
  const isConstrained = tools?.some((tool) => isObject(tool) && "constrainedSampling" in tool) ?? false;
  return [...new Set([...ofMessages, ...(isConstrained ? ["tool.constrainedSampling"] : [])])];
}

function systemFields(message: unknown): string[] {
  if (!isRecord(message) || !SYSTEM_ROLES.has(message["role"])) return [];
  return SYSTEM_FIELDS.flatMap((field) => (message[field] === undefined ? [] : [`system.${field}`]));
}
