/** Converts a value to a JSON Schema type if the conversion is unambiguous. */
import { isRecord } from "../../utils/is-object.js";

/** A decimal number: not hexadecimal, not `Infinity`, not blank. */
const NUMBER = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?\s*$/i;

/** Whether a value has a type of JSON Schema. There, 5.0 is an integer. */
export function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isRecord(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

/** The converted value; undefined if the conversion would be a guess or inexact. */
export function coercePrimitive(value: unknown, type: string): unknown {
  switch (type) {
    case "number":
      return toNumber(value);
    case "integer": {
      const number = toNumber(value);
      return Number.isInteger(number) ? number : undefined;
    }
    case "boolean":
      return toBoolean(value);
    case "string":
      return toText(value);
    case "null":
      return value === "" || value === 0 || value === false ? null : undefined;
    default:
      return undefined;
  }
}

function toNumber(value: unknown): number | undefined {
  if (value === null || typeof value === "boolean") return Number(value);
  if (typeof value !== "string" || !NUMBER.test(value)) return undefined;
  const number = Number(value);
  // A larger integer may have been rounded without the model noticing.
  const exact = !Number.isInteger(number) || Number.isSafeInteger(number);
  return Number.isFinite(number) && exact ? number : undefined;
}

function toBoolean(value: unknown): boolean | undefined {
  if (value === "true" || value === 1) return true;
  return value === "false" || value === 0 || value === null ? false : undefined;
}

function toText(value: unknown): string | undefined {
  if (value === null) return "";
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}
