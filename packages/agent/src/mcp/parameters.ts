/**
 * Converts a server's schema to the parameters of a tool. The schema is hostile input: validation against it must take
 * bounded time, and models and validators must accept it.
 */
import { isRecord } from "pi-ai/call";

/**
 * The limits of a schema after every reference is replaced by its target. Tools of real servers have a few hundred parts
 * on ten levels.
 */
const MAX_PARTS = 5000;
const MAX_DEPTH = 100;

/**
 * The omitted keywords: regular expressions can take exponential time, ids clash, and the others need a document or a
 * draft that a validator may not have. The server checks its arguments itself.
 */
const OMITTED = /^(\$(?!ref$|defs$).*|id|pattern|patternProperties)$/;

/** The values of these keywords map arbitrary names to schemas. */
const MAPS = /^(properties|\$defs|definitions|dependentSchemas)$/;

/** The values of these keywords are data. */
const DATA = /^(const|default|enum|examples)$/;

/** What a part of a schema is: a schema, a map of names to schemas, or data, which also counts for the limits. */
type Kind = "schema" | "map" | "data";

function kindOf(parent: Kind, word: string): Kind {
  if (parent !== "schema") return parent === "map" ? "schema" : "data";
  if (DATA.test(word)) return "data";
  return MAPS.test(word) ? "map" : "schema";
}

/**
 * Copies the schema without the unsupported keywords, and with references replaced by their targets.
 *
 * @throws Error when the schema is too large
 */
export function toParameters(schema: unknown): object {
  let parts = 0;
  const following = new Set<unknown>();

  function copy(part: unknown, depth: number, kind: Kind = "schema"): unknown {
    if (++parts > MAX_PARTS || depth > MAX_DEPTH) throw new Error("Its schema is too large");
    if (Array.isArray(part)) return part.map((item) => copy(item, depth + 1, kind === "data" ? kind : "schema"));
    if (!isRecord(part)) return part;
    const kept = Object.entries(part).filter(([word, value]) => kind !== "schema" || isKept(word, value, depth));
    // From entries, because an assignment to `__proto__` would set the prototype.
    return Object.fromEntries(kept.map(([word, value]) => [word, copy(value, depth + 1, kindOf(kind, word))]));
  }

  function isKept(word: string, value: unknown, depth: number): boolean {
    if (word !== "$ref") return !OMITTED.test(word);
    if (typeof value !== "string" || value[0] !== "#") return false;
    // The target counts. A schema that contains itself counts once.
    if (!following.has(value)) {
      following.add(value);
      copy(resolve(value), depth + 1);
      following.delete(value);
    }
    return true;
  }

  function resolve(reference: string): unknown {
    const step = (target: unknown, name: string) =>
      isRecord(target) && Object.hasOwn(target, name) ? target[name] : undefined;
    return reference.split("/").slice(1).reduce(step, schema);
  }

  return { ...Object(copy(isRecord(schema) ? schema : {}, 0)), type: "object" };
}
