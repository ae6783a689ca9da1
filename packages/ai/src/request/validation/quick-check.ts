/**
 * Checks values by the schemas that most tools have, without the validator: loading it and compiling one schema takes
 * longer than many turns. A check only says that a value fits. In any doubt the validator decides, which also finds the
 * words for a fault.
 */
import { isObject, isRecord } from "../../utils/is-object.js";
import { ownValue } from "../../utils/own-value.js";

/** True only if the value certainly fits. */
type Check = (value: unknown, work: Work) => boolean;

/** Makes the check of a keyword; undefined if the keyword has an unusual value. */
type Keyword = (stated: unknown, schema: Readonly<Record<string, unknown>>, work: Work) => Check | undefined;

/** The steps that are left. The schema and the value may both be hostile, and their sizes multiply. */
interface Work {
  steps: number;
}

const MOST_PARTS = 1000;
const MOST_STEPS = 10_000;

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  array: Array.isArray,
  boolean: (value) => typeof value === "boolean",
  integer: Number.isInteger,
  null: (value) => value === null,
  number: Number.isFinite,
  object: isRecord,
  string: (value) => typeof value === "string",
};

/** Keywords that say nothing about a value. */
const ANNOTATIONS: ReadonlySet<string> = new Set(["description", "title", "examples", "deprecated", "$comment"]);

/** Every other keyword is left to the validator: references, patterns, formats, defaults, and those of no standard. */
const KEYWORDS: Readonly<Record<string, Keyword>> = {
  $schema: (stated) => (typeof stated === "string" ? () => true : undefined),
  type: (stated) => {
    const tests = (Array.isArray(stated) ? stated : [stated]).map((name) => ownValue(TYPES, name));
    return tests.length > 0 && tests.every(isDefined) ? (value) => tests.some((test) => test(value)) : undefined;
  },
  enum: (stated) => (isFilled(stated) ? (value) => stated.includes(value) : undefined),
  const: (stated) => (value) => value === stated,
  anyOf: (stated, _schema, work) => {
    const branches = isFilled(stated) ? stated.map((part) => checkOf(part, work)) : [undefined];
    return branches.every(isDefined) ? (value, left) => branches.some((check) => check(value, left)) : undefined;
  },
  properties: (stated, _schema, work) => {
    if (!isRecord(stated)) return undefined;
    const checks = Object.entries(stated).map(([name, part]) => ({ name, check: checkOf(part, work) }));
    return checks.every(hasCheck)
      ? ifObject((value, left) => checks.every(({ name, check }) => !has(value, name) || check(value[name], left)))
      : undefined;
  },
  required: (stated) =>
    Array.isArray(stated) && stated.every((name) => typeof name === "string")
      ? ifObject((value) => stated.every((name) => has(value, name) && value[name] !== undefined))
      : undefined,
  additionalProperties: (stated, { properties }, work) => {
    if (stated === true) return () => true;
    const check = stated === false ? () => false : checkOf(stated, work);
    const named = isRecord(properties) ? properties : {};
    return (
      check &&
      ifObject((value, left) => Object.keys(value).every((name) => has(named, name) || check(value[name], left)))
    );
  },
  items: (stated, _schema, work) => {
    const check = checkOf(stated, work);
    return check && ((value, left) => !Array.isArray(value) || value.every((item) => check(item, left)));
  },
  minItems: limit((value, least) => !Array.isArray(value) || value.length >= least),
  maxItems: limit((value, most) => !Array.isArray(value) || value.length <= most),
  // A character beyond the basic plane has the length 2 and counts once.
  minLength: limit((value, least) => typeof value !== "string" || value.length >= (least > 1 ? 2 * least : least)),
  maxLength: limit((value, most) => typeof value !== "string" || value.length <= most),
  minimum: limit((value, least) => typeof value !== "number" || value >= least),
  maximum: limit((value, most) => typeof value !== "number" || value <= most),
  exclusiveMinimum: limit((value, least) => typeof value !== "number" || value > least),
  exclusiveMaximum: limit((value, most) => typeof value !== "number" || value < most),
};

/** Returns undefined for a schema that only the validator understands. */
export function compileQuickCheck(schema: object): ((value: unknown) => boolean) | undefined {
  const check = checkOf(schema, { steps: MOST_PARTS });
  return check && ((value) => check(value, { steps: MOST_STEPS }));
}

function checkOf(schema: unknown, work: Work): Check | undefined {
  if (!isRecord(schema) || work.steps-- <= 0) return undefined;
  const checks: Check[] = [];
  let cost = 1;
  for (const [word, stated] of Object.entries(schema)) {
    if (ANNOTATIONS.has(word)) continue;
    cost += isObject(stated) ? Object.keys(stated).length : 1;
    const check = ownValue(KEYWORDS, word)?.(stated, schema, work);
    if (!check) return undefined;
    checks.push(check);
  }
  return (value, left) => {
    left.steps -= cost;
    return left.steps > 0 && checks.every((check) => check(value, left));
  };
}

function limit(test: (value: unknown, stated: number) => boolean): Keyword {
  return (stated) => (typeof stated === "number" ? (value) => test(value, stated) : undefined);
}

function ifObject(test: (value: Record<string, unknown>, left: Work) => boolean): Check {
  return (value, left) => !isRecord(value) || test(value, left);
}

function has(value: object, name: string): boolean {
  return Object.hasOwn(value, name);
}

function hasCheck<T extends { check: Check | undefined }>(entry: T): entry is T & { check: Check } {
  return entry.check !== undefined;
}

function isDefined<T>(value: T | undefined): value is T {
  return value !== undefined;
}

function isFilled(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.length > 0;
}
