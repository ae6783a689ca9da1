/** Why an answer does not fit the question of a tool, in words for people: the field, and what it may hold. */
import { formatThrownValue, isRecord } from "pi-ai/call";

type Schema = Readonly<Record<string, unknown>> & { readonly pattern?: unknown };

/** A fault that the validator has found. */
interface Found {
  readonly faults: readonly (readonly [path: string, problem: string])[];
  /** Whether the rule of a library has found it, whose words are for people. */
  readonly isRule: boolean;
}

/** The most fields that are named, and the most values of one. */
const MAX_FIELDS = 10;
const MAX_VALUES = 50;

/** @param error what the validator has thrown: its own message is for a model */
export function explainAnswer(schema: object | undefined, error: unknown): string {
  const found = readFound(error);
  if (!found) return formatThrownValue(error);
  const fields = new Map<string, string>();
  for (const [path, problem] of found.faults) {
    const field = path || "It";
    if (!fields.has(field)) fields.set(field, found.isRule ? `${field}: ${problem}.` : explain(schema, path, problem));
  }
  return `This answer does not fit. ${[...fields.values()].slice(0, MAX_FIELDS).join(" ")}`;
}

function readFound(error: unknown): Found | undefined {
  const found = error instanceof Error && "faults" in error ? error.faults : undefined;
  // Only the validator sets it.
  return isRecord(found) ? (found as unknown as Found) : undefined;
}

function explain(schema: object | undefined, path: string, problem: string): string {
  const fields = fieldsOf(schema);
  const allowed = Object.hasOwn(fields, path) ? describeAllowed(fields[path]) : undefined;
  if (allowed) return `${path} must be ${allowed}.`;
  if (path !== "") return `${path} ${problem}.`;
  const names = Object.keys(fields).join(", ");
  return `It ${problem}.${names && ` Its fields are ${names}.`}`;
}

function fieldsOf(schema: object | undefined): Schema {
  const properties = isRecord(schema) ? schema["properties"] : undefined;
  return isRecord(properties) ? properties : {};
}

/** Undefined for a schema that has no short description. */
function describeAllowed(schema: unknown): string | undefined {
  if (!isRecord(schema)) return undefined;
  const values = valuesOf(schema);
  if (values) return listValues(values);
  const type = schema["type"];
  switch (type) {
    case "string":
      return describeText(schema);
    case "number":
    case "integer":
      return describeRange(type === "integer" ? "a whole number" : "a number", readRange(schema, "imum"));
    case "boolean":
      return "true or false";
    case "array":
      return describeList(schema);
    default:
      return undefined;
  }
}

/** The values of `const` and `enum`, and those of a choice between such schemas. */
function valuesOf(schema: Schema): unknown[] | undefined {
  if ("const" in schema) return [schema["const"]];
  if (Array.isArray(schema["enum"])) return schema["enum"];
  const choices = schema["anyOf"] ?? schema["oneOf"];
  if (!Array.isArray(choices)) return undefined;
  const values = choices.map((choice) => (isRecord(choice) && "const" in choice ? [choice["const"]] : undefined));
  return values.every((value) => value !== undefined) ? values.flat() : undefined;
}

function listValues(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_VALUES).map((value) => JSON.stringify(value));
  const rest = values.length - shown.length;
  if (rest > 0) return `one of ${shown.join(", ")} or ${rest} more`;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} or ${shown.at(-1)}`;
}

/** JSON Schema, "Validation", 7.3: the formats that the questions of MCP servers use. */
const FORMATS: ReadonlyMap<unknown, string> = new Map([
  ["email", "an email address"],
  ["uri", "an address such as https://example.com"],
  ["date", "a date such as 2026-12-31"],
  ["date-time", "a time such as 2026-12-31T12:00:00Z"],
]);

function describeText(schema: Schema): string {
  const format = FORMATS.get(schema["format"]);
  if (format) return format;
  const { pattern } = schema;
  const length = describeRange("text", readRange(schema, "Length"), " characters");
  return typeof pattern === "string" ? `${length} that matches ${pattern}` : length;
}

function describeList(schema: Schema): string {
  const items = describeAllowed(schema["items"]);
  const list = describeRange("a list", readRange(schema, "Items"), " values");
  return items ? `${list}, each ${items}` : list;
}

/** @param kind ends the names of the limits: `minLength` and `maxLength` */
function readRange(schema: Schema, kind: "imum" | "Length" | "Items"): [least: unknown, most: unknown] {
  return [schema[`min${kind}`], schema[`max${kind}`]];
}

function describeRange(what: string, [least, most]: [least: unknown, most: unknown], unit = ""): string {
  const of = unit && " of";
  if (typeof least === "number" && typeof most === "number")
    return least === most ? `${what}${of} ${least}${unit}` : `${what}${of || " from"} ${least} to ${most}${unit}`;
  if (typeof least === "number") return `${what} of at least ${least}${unit}`;
  return typeof most === "number" ? `${what} of at most ${most}${unit}` : what;
}
