/** Parses the data of server-sent events. */
import { cutText, ProtocolError } from "../errors.js";
import { repairJson } from "../json/json-parse.js";
import { isRecord } from "../utils/is-object.js";

/** The event for the line `data: [DONE]`, which ends a stream in some apis and means nothing in others. */
export const DONE: unique symbol = Symbol("[DONE]");

/**
 * Parses the data of one event. Returns undefined for data that is not an event: blank data, and JSON that is not an
 * object. An event that is named `error` but is the error itself, without an `error` around it, is wrapped in an error
 * event: servers send it as a bare message, or with a `type` of their own, such as `server_error` (llama.cpp, 2026-11).
 */
export function parseJsonEvent(data: string, name: string | undefined): object | typeof DONE | undefined {
  const trimmed = data.length < 32 ? data.trim() : data;
  if (trimmed === "[DONE]") return DONE;
  if (trimmed === "") return undefined;
  const value = parseJson(data, name);
  if (!isRecord(value)) return undefined;
  return name === "error" && isBareError(value) ? { type: "error", error: value } : value;
}

/** Events of an api that nests its errors, or marks them by their type, are complete. */
function isBareError(value: Record<string, unknown>): boolean {
  return value["type"] !== "error" && !("error" in value) && !("response" in value);
}

function parseJson(data: string, name: string | undefined): unknown {
  try {
    return JSON.parse(data);
  } catch (error) {
    if (name === "error") return { type: "error", error: { message: data } };
    try {
      return JSON.parse(repairJson(data));
    } catch {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ProtocolError(
        `Could not parse an event of the response (${cutText(reason, 200)}): ${cutText(data, 500)}`,
      );
    }
  }
}
