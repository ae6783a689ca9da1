/** Recognizes portable tools: every vendor takes them as they are, so that the rules for all others are loaded only when there is one. */
import type { Tool } from "../../types/context.js";
import { isRecord } from "../../utils/is-object.js";

/** A request with more parts of schemas is not portable: they have a limit. Nor is a schema that is nested deeper. */
const MAX_PARTS = 10_000;
const MAX_DEPTH = 20;
/** The shortest limit of a vendor, in characters. */
const MAX_DESCRIPTION = 1024;
const NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

type Schema = Record<string, unknown>;

const isText = (value: unknown): boolean => typeof value === "string" && value.isWellFormed();
const isNumber = (value: unknown): boolean => Number.isFinite(value);
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const areTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;

/** Checks of the values of keywords. A schema with any other keyword is not portable. */
const KEYWORDS: ReadonlyMap<string, (value: unknown, schema: Schema) => boolean> = new Map([
  ["$schema", isText],
  ["additionalProperties", (value: unknown) => typeof value === "boolean"],
  ["description", isText],
  ["enum", (value: unknown, { type }: Schema) => type === "string" && areTexts(value) && value.length > 0],
  ["items", isRecord],
  ["maxItems", isCount],
  ["maxLength", isCount],
  ["maximum", isNumber],
  ["minItems", isCount],
  ["minLength", isCount],
  ["minimum", isNumber],
  ["properties", (value: unknown) => isRecord(value) && !(Symbol.iterator in value)],
  [
    "required",
    (value: unknown, { properties }: Schema) =>
      areTexts(value) && isRecord(properties) && value.every((name) => Object.hasOwn(properties, name)),
  ],
  ["title", isText],
  ["type", isText],
]);

/** The keyword that a type must have beside it; undefined for none. */
const NEEDED: ReadonlyMap<unknown, string | undefined> = new Map([
  ["array", "items"],
  ["boolean", undefined],
  ["integer", undefined],
  ["number", undefined],
  ["object", "properties"],
  ["string", undefined],
]);

/** Whether every vendor takes all of these tools as they are, but for their names. */
export function arePortable(tools: readonly Tool[]): boolean {
  let left = MAX_PARTS;
  const isPortable = (schema: unknown, depth: number): boolean => {
    if (!isRecord(schema) || depth > MAX_DEPTH || left-- <= 0) return false;
    const { type, items, properties } = schema;
    const needed = NEEDED.get(type);
    if (!NEEDED.has(type) || (needed !== undefined && schema[needed] === undefined)) return false;
    if (!Object.keys(schema).every((keyword) => KEYWORDS.get(keyword)?.(schema[keyword], schema))) return false;
    if (items !== undefined && !isPortable(items, depth + 1)) return false;
    const parts = isRecord(properties) ? properties : {};
    return Object.keys(parts).every((name) => NAME.test(name) && isPortable(parts[name], depth + 1));
  };
  const isPortableTool = ({ name, server, description, examples, parameters }: Tool): boolean =>
    typeof name === "string" &&
    (server !== undefined ||
      (isText(description) &&
        description.length <= MAX_DESCRIPTION &&
        (examples === undefined || (Array.isArray(examples) && examples.length === 0)) &&
        isRecord(parameters) &&
        parameters["type"] === "object" &&
        isPortable(parameters, 0)));
  try {
    return tools.every(isPortableTool);
  } catch {
    return false; // A getter, or not a tool at all.
  }
}
