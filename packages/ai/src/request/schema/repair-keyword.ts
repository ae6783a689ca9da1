/** Writes a keyword of JSON Schema as draft 2020-12 has it: servers send those of older drafts, and values that are none. */
import { isRecord } from "../../utils/is-object.js";
import { ownValue } from "../../utils/own-value.js";
import { LIST_KEYWORDS, MAP_KEYWORDS, SCHEMA_KEYWORDS, type Schema } from "./schema-children.js";

/** Types of JSON Schema, and what others call them. An empty text stands for a value of any type. */
const TYPES: Readonly<Record<string, string>> = {
  any: "",
  array: "array",
  bool: "boolean",
  boolean: "boolean",
  date: "string",
  dict: "object",
  double: "number",
  file: "string",
  float: "number",
  int: "integer",
  integer: "integer",
  list: "array",
  long: "integer",
  map: "object",
  null: "null",
  number: "number",
  object: "object",
  str: "string",
  string: "string",
};

type Repair = (value: unknown, schema: Schema) => unknown;

const SWITCH_OR_SCHEMA: Repair = (value) => (isRecord(value) || typeof value === "boolean" ? value : undefined);

/** By keyword. A value that does not fit it becomes undefined. */
const REPAIRS: ReadonlyMap<string, Repair> = new Map<string, Repair>([
  ...["$comment", "$dynamicRef", "$ref", "$schema", "contentEncoding", "contentMediaType"].map(to(textOf)),
  ...["description", "format", "pattern", "title"].map(to(textOf)),
  ...["$anchor", "$dynamicAnchor"].map(to(textLike(/^[a-z_][\w.-]*$/i))),
  ["$id", textLike(/^[^#]*#?$/)],
  ["$vocabulary", () => undefined],
  ...["deprecated", "readOnly", "uniqueItems", "writeOnly"].map(to(flagOf)),
  ...["maximum", "minimum"].map(to(numberOf)),
  ["multipleOf", (value) => (Number(value) > 0 ? numberOf(value) : undefined)],
  ...["maxItems", "maxLength", "maxProperties", "minItems", "minLength", "minProperties"].map(to(countOf)),
  ...["maxContains", "minContains"].map(to(countOf)),
  ...[...LIST_KEYWORDS].map(to(listOf)),
  ...[...MAP_KEYWORDS].map(to((value) => (isRecord(value) ? value : undefined))),
  ...[...SCHEMA_KEYWORDS].map(to(SWITCH_OR_SCHEMA)),
  ["items", itemsOf],
  ["exclusiveMaximum", (value, { maximum }) => (value === true ? numberOf(maximum) : numberOf(value))],
  ["exclusiveMinimum", (value, { minimum }) => (value === true ? numberOf(minimum) : numberOf(value))],
  ["examples", (value) => (Array.isArray(value) ? value : [value])],
  ["type", repairType],
  ["required", repairRequired],
  ["dependentRequired", (value) => (isRecord(value) ? repairLists(value) : undefined)],
  ["dependencies", (value) => (isRecord(value) ? repairLists(value, isRecord) : undefined)],
  ["enum", repairEnum],
]);

function to(repair: Repair): (keyword: string) => [string, Repair] {
  return (keyword) => [keyword, repair];
}

/** The value to send; undefined for a keyword that must be left out. An equal value is the same object. */
export function repairKeyword(keyword: string, value: unknown, schema: Schema): unknown {
  // Both may be `null`, and anything else.
  if (keyword === "default" || keyword === "const") return value;
  if (value === null || value === undefined) return undefined;
  const repair = REPAIRS.get(keyword);
  return repair ? repair(value, schema) : value;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function textLike(form: RegExp): Repair {
  return (value) => (typeof value === "string" && form.test(value) ? value : undefined);
}

function flagOf(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function countOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
}

/** A list of schemas stands for single items. `false` only ends such a list, and several vendors refuse it. */
function itemsOf(value: unknown): unknown {
  if (typeof value === "boolean") return value ? {} : undefined;
  return Array.isArray(value) ? listOf(value) : isRecord(value) ? value : undefined;
}

function listOf(value: unknown): unknown[] | undefined {
  const list = Array.isArray(value) ? value : isRecord(value) ? [value] : [];
  return list.length > 0 ? list : undefined;
}

function repairType(value: unknown): unknown {
  const given = Array.isArray(value) ? value : [value];
  const types = given.map((type) => (typeof type === "string" ? (ownValue(TYPES, type.toLowerCase()) ?? "") : ""));
  if (types.includes("") || types.length === 0) return undefined;
  const unique = [...new Set(types)];
  if (!Array.isArray(value)) return unique[0];
  return unique.length === value.length && unique.every((type, index) => type === value[index]) ? value : unique;
}

function repairRequired(value: unknown): unknown {
  if (!Array.isArray(value)) return undefined;
  const names = [...new Set(value.filter((name) => typeof name === "string"))];
  return names.length === value.length ? value : names;
}

/** Lists of names by a name. */
function repairLists(lists: Schema, isOther: (value: unknown) => boolean = () => false): Schema {
  const given = Object.entries(lists);
  const kept = given.flatMap(([name, list]) => {
    const repaired = isOther(list) ? list : repairRequired(list);
    return repaired === undefined ? [] : [[name, repaired] as const];
  });
  const isSame = kept.length === given.length && kept.every(([, list], index) => list === given[index]?.[1]);
  return isSame ? lists : Object.fromEntries(kept);
}

function repairEnum(value: unknown): unknown {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const unique = new Map(value.map((each) => [JSON.stringify(each), each]));
  return unique.size === value.length ? value : [...unique.values()];
}
