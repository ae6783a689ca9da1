/**
 * Bounds the work of checking a value. Schemas may come from strangers, such as the servers of tools: one that refers to
 * itself twice at each level doubles the work with each level of a value, and `uniqueItems` compares all pairs.
 */
import type { Ajv, CodeKeywordDefinition } from "ajv";
import { ownValue } from "../../utils/own-value.js";
import type { Validators } from "./ajv.js";
import type { SchemaSize } from "./measure-schema.js";

/** Thrown when a check exceeds its limit. */
export class TooMuchWorkError extends Error {
  constructor() {
    super("the schema takes too many steps for this value");
  }
}

/** Any check may take so many steps, each a few dozen nanoseconds. */
const BASE = 300_000;
/** The most steps of a check, however large schema and value are. */
const MOST = 2_500_000;
/** Reading so many characters counts like a value. */
const CHARACTERS_OF_VALUE = 256;

/** The number of values inside a value, with itself. */
export function countValues(value: unknown): number {
  if (typeof value === "string") return 1 + Math.floor(value.length / CHARACTERS_OF_VALUE);
  if (typeof value !== "object" || value === null) return 1;
  let count = 1;
  if (Array.isArray(value)) for (const child of value) count += countValues(child);
  // Of very many keys, a list of the values takes the engine several times as long as to read one after the other.
  else for (const key of Object.keys(value)) count += countValues(Reflect.get(value, key));
  return count;
}

/**
 * Whether a check is so short that its steps need not be counted. Without a reference to itself, a schema applies each of its
 * parts to a value once at most.
 */
export function isShort({ expanded, hasPairs }: SchemaSize, values: number): boolean {
  return expanded * values + (hasPairs ? countPairs(values, values) : 0) <= BASE;
}

/** The steps in which a value is checked by any schema whose work is linear in its own size and in that of the value. */
export function stepsFor({ written }: SchemaSize, values: number): number {
  return Math.min(BASE + written * values, MOST);
}

/** Counts the steps of checks: each keyword that is applied, with what it lists and what it reads. */
export class WorkLimit {
  #left = 0;

  /** Begins to count: checks throw after so many steps. */
  allow(steps: number): void {
    this.#left = steps;
  }

  /** @throws TooMuchWorkError */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new TooMuchWorkError();
  }

  /** Lets the code that a validator generates from now on count its steps. */
  countIn(ajv: Pick<Ajv, "RULES">, { _ }: Pick<Validators, "_">): void {
    // Several keywords share a definition, which belongs to this validator.
    const definitions = new Set(
      Object.values(ajv.RULES.all).flatMap((rule) => (typeof rule === "object" ? [rule.definition] : [])),
    );
    // Equal ones are one function: the validator takes quadratic time to join the functions that its code calls.
    const steps = new Map<string, (value: unknown) => void>();
    for (const definition of definitions) {
      if (!("code" in definition) || typeof definition.code !== "function") continue;
      const generate: CodeKeywordDefinition["code"] = definition.code;
      definition.code = (context, ruleType) => {
        const { gen, keyword, schema, data } = context;
        const listed = countListed(schema);
        const reads = ownValue(READS, keyword);
        const name = `${listed} ${reads ? keyword : ""}`;
        const step = steps.get(name) ?? ((value: unknown): void => this.spend(1 + listed + (reads?.(value) ?? 0)));
        steps.set(name, step);
        gen.code(_`${gen.scopeValue("func", { ref: step })}(${data})`);
        generate(context, ruleType);
      };
    }
  }
}

/** How much each keyword reads of a value, beside what its own schema lists. */
const READS: Readonly<Record<string, (value: unknown) => number>> = {
  items: countItems,
  contains: countItems,
  additionalItems: countItems,
  unevaluatedItems: countItems,
  uniqueItems: (list) => (Array.isArray(list) ? countPairs(list.length, countValues(list)) : 0),
  additionalProperties: countEntries,
  patternProperties: countEntries,
  propertyNames: countEntries,
  unevaluatedProperties: countEntries,
  maxProperties: countEntries,
  minProperties: countEntries,
  maxLength: countCharacters,
  minLength: countCharacters,
  pattern: countCharacters,
  format: countCharacters,
};

/** The steps of comparing all items of a list, which is quick for each pair. */
export function countPairs(items: number, values: number): number {
  return (items * values) / 16;
}

/** The number of parts of a keyword that are applied or compared one after the other. */
function countListed(schema: unknown): number {
  if (Array.isArray(schema)) return schema.length;
  return typeof schema === "object" && schema !== null ? Object.keys(schema).length : 0;
}

function countItems(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

function countEntries(value: unknown): number {
  return typeof value === "object" && value !== null ? Object.keys(value).length : 0;
}

/** Characters are read quickly. */
function countCharacters(value: unknown): number {
  return typeof value === "string" ? value.length / 16 : 0;
}
