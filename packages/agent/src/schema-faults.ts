/** Mistakes in a JSON Schema that a provider or the validator would refuse with every call. */
import { isRecord } from "pi-ai/call";

/** JSON Schema, "Validation", 6.1.1: the words of `type`. */
const TYPES: readonly unknown[] = ["null", "boolean", "object", "array", "number", "string", "integer"];
/** Keywords whose value maps names to schemas, and those whose value is data. */
const MAPS: readonly string[] = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const DATA: readonly string[] = ["const", "default", "enum", "examples"];
/** Far more than any real schema has. The search stops here; a provider refuses a larger one. */
const MAX_PARTS = 20_000;

/** The fault of the value of `type` or `required`; undefined if it has none. `null` and a flag are old forms of none. */
export function describeWrongKeyword(word: "type" | "required", value: unknown): string | undefined {
  if (word === "type") {
    const isType = TYPES.includes(value) || (Array.isArray(value) && value.every((one) => TYPES.includes(one)));
    return isType ? undefined : `"type" is ${JSON.stringify(value)}, and must be one of ${TYPES.join(", ")}`;
  }
  const isNone = value === null || typeof value === "boolean";
  const isList = Array.isArray(value) && value.every((name) => typeof name === "string");
  return isNone || isList ? undefined : `"required" is ${JSON.stringify(value)}, and must be a list of names`;
}

/** The first such mistake at any depth, with its place. */
export function findKeywordFault(schema: unknown): string | undefined {
  const open: [part: unknown, place: string][] = [[schema, "parameters"]];
  for (let parts = 0; parts < MAX_PARTS; parts++) {
    const next = open.pop();
    if (!next) return undefined;
    const [part, place] = next;
    if (!isRecord(part)) continue;
    for (const word of ["type", "required"] as const) {
      const wrong = Object.hasOwn(part, word) ? describeWrongKeyword(word, part[word]) : undefined;
      if (wrong !== undefined) return `${place}: ${wrong}`;
    }
    open.push(...schemasIn(part, place));
  }
  return undefined;
}

/** The schemas directly inside of one. */
function schemasIn(schema: object, place: string): [part: unknown, place: string][] {
  return Object.entries(schema).flatMap(([word, value]): [unknown, string][] => {
    if (DATA.includes(word) || typeof value !== "object" || value === null) return [];
    if (!MAPS.includes(word) && !Array.isArray(value)) return [[value, `${place}.${word}`]];
    return Object.entries(value).map(([name, one]) => [one, `${place}.${word}.${name}`]);
  });
}
