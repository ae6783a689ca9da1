/** Creates diagnostics of a message, and turns thrown values into plain data. */
import type { AssistantMessage, AssistantMessageDiagnostic, DiagnosticErrorInfo } from "../types/message.js";
import { visibleLine, visibleText } from "./visible-text.js";

/** The text for a value that throws when it is inspected. */
const UNPRINTABLE = "Unknown error";

/**
 * A text for any thrown value. Never throws and is never empty. It may quote a server, so control and format characters are
 * written out: `\u{1b}`.
 */
export function formatThrownValue(value: unknown): string {
  return visibleText(attempt(() => describe(value)) || UNPRINTABLE);
}

/** The facts of any thrown value. Never throws. */
export function extractDiagnosticError(value: unknown): DiagnosticErrorInfo {
  const name = readText(value, "name");
  const stack = readText(value, "stack");
  const code = read(value, "code");
  return {
    ...(name === undefined ? {} : { name: visibleLine(name) }),
    message: formatThrownValue(value),
    ...(stack === undefined ? {} : { stack: visibleText(stack) }),
    ...(typeof code === "number" ? { code } : {}),
    ...(typeof code === "string" ? { code: visibleLine(code) } : {}),
  };
}

/**
 * Creates a diagnostic for {@link appendAssistantMessageDiagnostic}, with the current time.
 *
 * @param error the thrown value; omitted if undefined
 */
export function createAssistantMessageDiagnostic(
  type: string,
  error?: unknown,
  details?: Record<string, unknown>,
): AssistantMessageDiagnostic {
  return {
    type,
    timestamp: Date.now(),
    ...(error === undefined ? {} : { error: extractDiagnosticError(error) }),
    ...(details === undefined ? {} : { details }),
  };
}

/** Adds a diagnostic to a message. Replaces the array, so that holders of the old one see no change. */
export function appendAssistantMessageDiagnostic(
  message: Pick<AssistantMessage, "diagnostics">,
  diagnostic: AssistantMessageDiagnostic,
): void {
  message.diagnostics = [...(message.diagnostics ?? []), diagnostic];
}

function describe(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return String(value);
  const message = readText(value, "message");
  if (message) return message;
  if (value instanceof Error) return readText(value, "name") ?? "";
  // Circular values and hostile toJSON methods throw. Their own text is then better than none.
  return attempt(() => JSON.stringify(value)) ?? String(value);
}

function readText(value: unknown, key: string): string | undefined {
  const text = read(value, key);
  return typeof text === "string" ? text : undefined;
}

function read(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return attempt(() => Reflect.get(value, key));
}

/** The result; undefined if getting it throws. */
export function attempt<TResult>(get: () => TResult): TResult | undefined {
  try {
    return get();
  } catch {
    return undefined;
  }
}
