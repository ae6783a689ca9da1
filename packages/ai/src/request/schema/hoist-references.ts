/** Moves what references point to into definitions, so that a schema can be rebuilt around it. */
import { isRecord } from "../../utils/is-object.js";
import { resolvePointer } from "../../utils/json-pointer.js";
import { mapChildren, type Schema } from "./schema-children.js";
import { MAX_SCHEMA_DEPTH } from "./schema-refs.js";

const DEFINITION = /^#\/(?:\$defs|definitions)\/[^/]+$/;
const NEW_DEFINITION = /^#\/\$defs\/[^/]+$/;

/**
 * Afterwards each reference points to the schema itself or to one of its definitions. One that points nowhere, or out of
 * the schema, is left for the caller.
 *
 * @param onlyNew whether `definitions` are moved to `$defs`, too
 */
export function hoistReferences(root: Schema, onlyNew: boolean): Schema {
  const hoisting = new Hoisting(root, onlyNew ? NEW_DEFINITION : DEFINITION);
  const schema = hoisting.replace(root, 0);
  const defs = hoisting.definitions;
  if (defs.size === 0) return schema;
  const given = isRecord(schema["$defs"]) ? schema["$defs"] : {};
  const { definitions, ...rest } = schema;
  const kept = onlyNew || definitions === undefined ? {} : { definitions };
  return { ...rest, ...kept, $defs: { ...given, ...Object.fromEntries(defs) } };
}

class Hoisting {
  readonly definitions = new Map<string, unknown>();
  readonly #root: Schema;
  readonly #kept: RegExp;
  readonly #names = new Map<string, string>();
  readonly #taken: ReadonlySet<string>;

  constructor(root: Schema, kept: RegExp) {
    this.#root = root;
    this.#kept = kept;
    this.#taken = new Set(isRecord(root["$defs"]) ? Object.keys(root["$defs"]) : []);
  }

  replace(schema: Schema, depth: number): Schema {
    if (depth > MAX_SCHEMA_DEPTH) return schema;
    const inside = mapChildren(schema, (child) => (isRecord(child) ? this.replace(child, depth + 1) : child));
    const { $ref: reference } = inside;
    if (typeof reference !== "string" || reference === "#" || this.#kept.test(reference)) return inside;
    const name = this.#nameOf(reference, depth);
    return name === undefined ? inside : { ...inside, $ref: `#/$defs/${name}` };
  }

  #nameOf(reference: string, depth: number): string | undefined {
    const known = this.#names.get(reference);
    if (known !== undefined) return known;
    const target = reference.startsWith("#/") ? resolvePointer(this.#root, reference) : undefined;
    if (!isRecord(target) || target === this.#root) return undefined;
    const stem = (reference.split("/").at(-1) ?? "").replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 40) || "part";
    let name = stem;
    for (let count = 2; this.#taken.has(name) || this.definitions.has(name); count++) name = `${stem}_${count}`;
    this.#names.set(reference, name);
    // The place is taken before the target is read, because it may refer to itself.
    this.definitions.set(name, target);
    this.definitions.set(name, this.replace(target, depth + 1));
    return name;
  }
}
