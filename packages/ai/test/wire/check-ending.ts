/** Rules "stop", "settle" and "error": how a response ends. */
import { type Case, show } from "./judgement.js";
import type { RecordedError } from "./truth.js";

export function checkStop({ seen, allowed }: Case): string | undefined {
  const { stopReason, errorMessage, content = [] } = seen.message ?? {};
  // The recordings do not say that a server tool waits for the application.
  const waits = content.some((block) => block.type === "serverTool" && block.status === "waiting");
  if (waits && stopReason === "toolUse" && allowed?.stops.includes("stop")) return undefined;
  if (!allowed?.stops.includes(String(stopReason)))
    return `stopReason ${show(stopReason)} (${show(errorMessage)}), wanted ${allowed?.stops.join(" or ")}`;
  return stopReason === "error" && !errorMessage ? "an error without errorMessage" : undefined;
}

export function checkSettle({ seen }: Case): string | undefined {
  if (seen.iteration === "hung") return "the iteration did not end";
  if (seen.result !== "settled") return `result() is ${seen.result} (${show(seen.thrown)})`;
  const hasTerminal = seen.events.some((event) => event.message);
  if (hasTerminal && !seen.isTerminalMessage) return "result() is not the message of the terminal event";
  return seen.unhandled.length > 0 ? `unhandled: ${show(seen.unhandled)}` : undefined;
}

/** A rejected request ends with an error that has the provider's text, or at least the status. */
export function checkError({ seen, error }: Case): string | undefined {
  const last = seen.events.at(-1);
  if (last?.type !== "error" || seen.message?.stopReason !== "error")
    return `ends with ${last?.type} and stopReason ${show(seen.message?.stopReason)}`;
  const text = seen.message.errorMessage ?? "";
  if (text.trim() === "") return "no errorMessage";
  if (!error || text.includes(String(error.status))) return undefined;
  const words = wordsOf(error);
  const isQuoted = words !== undefined && plain(text).includes(plain(words).slice(0, 80));
  return isQuoted ? undefined : `${show(text)} has neither ${error.status} nor ${show(words)}`;
}

/** The message in an error body, whatever its shape. */
function wordsOf({ body, bodyText }: RecordedError): string | undefined {
  const queue: unknown[] = [body];
  for (const value of queue) {
    if (typeof value === "string" && value.trim() !== "") return value;
    if (Array.isArray(value)) queue.push(value[0]);
    else if (typeof value === "object" && value !== null)
      queue.push(...["message", "Message", "msg", "error", "detail", "errors"].map((key) => Reflect.get(value, key)));
  }
  return bodyText?.trim() || undefined;
}

/** Removes the escapes that JSON adds to quotes, backslashes and line breaks. */
function plain(text: string): string {
  return text
    .replaceAll(/\\["\\n/]|["\\\s]+/g, " ")
    .replaceAll(/ +/g, " ")
    .trim();
}
