/** Reduces a JSON Schema to the part that a vendor accepts, and reports every change. */
import { CORE_KEYWORDS, type SchemaSubset } from "../../catalogue/compat/index.js";
import { ConfigError, cutText } from "../../errors.js";
import { isRecord } from "../../utils/is-object.js";
import { AllOfMerging } from "./merge-all-of.js";
import { describeExcess, emptyCounts } from "./schema-counts.js";
import { findReferenceFault, isSoleReference, MAX_SCHEMA_DEPTH } from "./schema-refs.js";
import type { SchemaBudget } from "./schema-size.js";

export interface NarrowedSchema {
  schema: Schema;
  /** One line for each change: where and what. */
  changes: string[];
}

type Schema = Record<string, unknown>;

const MAX_CHANGES = 100;
const MAX_LINE = 300;
/** Keywords that do not constrain values. Their removal is not reported. */
const META: ReadonlySet<string> = new Set(["$schema", "$id", "$comment", "$anchor", "~standard"]);
/** Annotations. Their removal is reported, but no hint replaces them in the description. */
const ANNOTATIONS: ReadonlySet<string> = new Set(["default", "examples", "deprecated", "readOnly", "writeOnly"]);

/**
 * Constraints that the vendor cannot express move into descriptions, so that the model still reads them.
 *
 * @param budget the room for the schemas of the request, which bounds the work on this one
 * @throws ConfigError if the vendor accepts no schema with this meaning, or if the schema exceeds the vendor's limits or
 * the budget
 */
export function narrowSchema(schema: object, subset: SchemaSubset, budget: SchemaBudget): NarrowedSchema {
  return new Narrowing(schema, subset).run(budget);
}

class Narrowing {
  readonly #root: object;
  readonly #subset: SchemaSubset;
  readonly #keywords: ReadonlySet<string>;
  readonly #changes: string[] = [];
  readonly #counts = emptyCounts();
  readonly #merging: AllOfMerging;
  #recursive = false;

  constructor(root: object, subset: SchemaSubset) {
    this.#root = root;
    this.#subset = subset;
    this.#merging = new AllOfMerging(root);
    this.#keywords = new Set([...CORE_KEYWORDS, ...subset.keywords]);
  }

  run(budget: SchemaBudget): NarrowedSchema {
    const excessiveSize = budget.take(this.#root);
    if (excessiveSize !== undefined) this.#refuse([], excessiveSize);
    const { cycle, external } = findReferenceFault(this.#root);
    if (external !== undefined) this.#refuse([], `the reference ${external} points outside of it`);
    if (cycle !== undefined && !this.#subset.recursion)
      this.#refuse([], `it is recursive (${cycle}), and the provider does not accept recursion`);
    this.#recursive = cycle !== undefined;
    const schema = this.#narrow(this.#root, []);
    this.#counts.characters = JSON.stringify(schema).length;
    const excess = describeExcess(this.#counts, this.#subset.limits);
    if (excess) this.#refuse([], excess);
    return { schema, changes: this.#changes };
  }

  #narrow(given: unknown, path: string[]): Schema {
    if (!isRecord(given)) return this.#narrowAny(given, path);
    // Merged references may nest deeper than the schema does.
    if (path.length > MAX_SCHEMA_DEPTH) this.#refuse([], `it is nested deeper than ${MAX_SCHEMA_DEPTH} levels`);
    const source = this.#toBasics(this.#mergeAllOf(given, path), path);
    if (typeof source["$ref"] === "string") return this.#narrowReference(source, path);
    const result: Schema = {};
    const hints: string[] = [];
    for (const [keyword, value] of Object.entries(source)) this.#narrowKeyword(result, hints, keyword, value, path);
    this.#checkTyped(result, path);
    if (isObjectSchema(result)) this.#narrowObject(result, path);
    if (hints.length > 0)
      result["description"] = [source["description"], `(${hints.join(", ")})`].filter(Boolean).join(" ");
    return result;
  }

  #mergeAllOf(given: Schema, path: string[]): Schema {
    const { allOf, ...rest } = given;
    if (allOf === undefined) return given;
    // A part of a schema that refers to itself cannot replace the reference.
    const [reference] = this.#recursive && isSoleReference(given) ? [allOf].flat() : [];
    const merged = isRecord(reference) ? { ...rest, ...reference } : this.#merging.merge(given);
    this.#note(path, merged ? "merged allOf" : "left out allOf");
    return merged ?? given;
  }

  /** A schema of `true` or without keywords permits every value. */
  #narrowAny(given: unknown, path: string[]): Schema {
    if (given === false) this.#refuse(path, "it accepts no value");
    if (this.#subset.closed) this.#refuse(path, "it permits every value, and the provider requires a type");
    return {};
  }

  #narrowReference(source: Schema, path: string[]): Schema {
    const { $ref: reference, $defs, ...rest } = source;
    if (Object.keys(rest).length > 0) this.#note(path, `left out ${Object.keys(rest).join(", ")} beside $ref`);
    const target = String(reference).replace(/^#\/definitions\//, "#/$defs/");
    return { $ref: target, ...($defs === undefined ? {} : { $defs: this.#narrowMap($defs, [...path, "$defs"]) }) };
  }

  /** Replaces equivalent keywords: `definitions`, `oneOf`, `nullable`, and `const` for a vendor that lacks it. */
  #toBasics(schema: Schema, path: string[]): Schema {
    const { definitions, oneOf, nullable, ...source } = schema;
    if (isRecord(definitions))
      source["$defs"] = { ...definitions, ...(isRecord(source["$defs"]) ? source["$defs"] : {}) };
    if (Array.isArray(oneOf) && source["anyOf"] === undefined) {
      source["anyOf"] = oneOf;
      this.#note(path, "wrote oneOf as anyOf");
    } else if (oneOf !== undefined) this.#note(path, "left out oneOf");
    if (nullable === true && typeof source["type"] === "string") {
      source["type"] = [source["type"], "null"];
      this.#note(path, "wrote nullable as a type");
    }
    if ("const" in source && !this.#keywords.has("const")) {
      const { const: value, ...rest } = source;
      this.#note(path, "wrote const as enum");
      return { ...rest, enum: [value] };
    }
    return source;
  }

  #narrowKeyword(result: Schema, hints: string[], keyword: string, value: unknown, path: string[]): void {
    if (META.has(keyword)) return;
    const kept = this.#keywords.has(keyword) && this.#acceptsValue(keyword, value);
    if (kept) {
      result[keyword] = this.#narrowValue(keyword, value, [...path, keyword]);
      return;
    }
    this.#note(path, `left out ${keyword}`);
    if (keyword === "prefixItems" || (keyword === "items" && Array.isArray(value))) {
      result["items"] = this.#narrow({ anyOf: value }, [...path, "items"]);
      hints.push(`a list of exactly ${Array.isArray(value) ? value.length : 0} items`);
    } else if (!ANNOTATIONS.has(keyword)) hints.push(`${keyword}: ${cutText(JSON.stringify(value) ?? "", MAX_LINE)}`);
  }

  #acceptsValue(keyword: string, value: unknown): boolean {
    const { formats, largestMinItems, enumTypes } = this.#subset;
    if (keyword === "format") return formats.includes(String(value));
    if (keyword === "minItems") return Number(value) <= largestMinItems;
    if (keyword === "items") return !Array.isArray(value) && value !== false;
    const values = keyword === "enum" ? value : keyword === "const" ? [value] : [];
    return Array.isArray(values) && values.every((each) => enumTypes.includes(each === null ? "null" : typeof each));
  }

  #narrowValue(keyword: string, value: unknown, path: string[]): unknown {
    switch (keyword) {
      case "$defs":
        return this.#narrowMap(value, path);
      case "properties":
        return this.#nested(() => this.#narrowMap(value, path));
      case "items":
        return this.#nested(() => this.#narrow(value, path));
      case "prefixItems":
      case "anyOf":
        this.#counts.unions += keyword === "anyOf" ? 1 : 0;
        return Array.isArray(value) ? value.map((part, index) => this.#narrow(part, [...path, String(index)])) : value;
      case "additionalProperties":
        return isRecord(value) && !this.#subset.closed ? this.#narrow(value, path) : value;
      case "type":
        this.#counts.unions += Array.isArray(value) ? 1 : 0;
        return value;
      case "enum":
        return this.#countValues(value);
      default:
        return value;
    }
  }

  #narrowMap(value: unknown, path: string[]): Schema {
    const entries = Object.entries(isRecord(value) ? value : {});
    for (const [name] of entries) this.#counts.nameCharacters += name.length;
    return Object.fromEntries(entries.map(([name, part]) => [name, this.#narrow(part, [...path, name])]));
  }

  #countValues(values: unknown): unknown {
    const list = Array.isArray(values) ? values : [];
    this.#counts.enumValues += list.length;
    for (const value of list) this.#counts.nameCharacters += String(value).length;
    return values;
  }

  #depth = 0;
  #nested<T>(build: () => T): T {
    this.#depth++;
    this.#counts.depth = Math.max(this.#counts.depth, this.#depth);
    const result = build();
    this.#depth--;
    return result;
  }

  /** Adds what the vendor requires of an object. */
  #narrowObject(result: Schema, path: string[]): void {
    const properties = isRecord(result["properties"]) ? result["properties"] : {};
    const names = Object.keys(properties);
    const required = new Set(Array.isArray(result["required"]) ? result["required"] : []);
    this.#counts.properties += names.length;
    const optional = names.filter((name) => !required.has(name));
    if (this.#subset.closed) this.#close(result, names, path);
    if (!this.#subset.allRequired || optional.length === 0) {
      this.#counts.optional += optional.length;
      return;
    }
    const nullable = optional.map((name): [string, unknown] => [name, permitNull(properties[name])]);
    result["properties"] = { ...properties, ...Object.fromEntries(nullable) };
    result["required"] = names;
    this.#note(path, `made required, null if absent: ${optional.join(", ")}`);
  }

  #close(result: Schema, names: string[], path: string[]): void {
    const { additionalProperties } = result;
    if (isRecord(additionalProperties) || (names.length === 0 && additionalProperties !== false))
      this.#refuse(path, "it permits properties of any name, and the provider requires their names");
    if (additionalProperties !== false) this.#note(path, "added additionalProperties: false");
    result["properties"] ??= {};
    result["required"] ??= [];
    result["additionalProperties"] = false;
  }

  #checkTyped(result: Schema, path: string[]): void {
    if (!this.#subset.closed) return;
    const typed = ["type", "anyOf", "enum", "const", "$defs"].some((keyword) => result[keyword] !== undefined);
    if (!typed && isRecord(result["properties"])) result["type"] = "object";
    else if (!typed) this.#refuse(path, "it has no type, and the provider requires one");
    if (result["type"] === "array" && result["items"] === undefined)
      this.#refuse(path, "it does not define its items, and the provider requires that");
  }

  #note(path: string[], change: string): void {
    if (this.#changes.length === MAX_CHANGES) this.#changes.push("… and more");
    if (this.#changes.length < MAX_CHANGES) this.#changes.push(cutText(`${toPlace(path)}: ${change}`, MAX_LINE));
  }

  #refuse(path: string[], reason: string): never {
    throw new ConfigError(
      cutText(`the provider cannot enforce the schema at ${toPlace(path)}: ${reason}`, 2 * MAX_LINE),
    );
  }
}

function toPlace(path: string[]): string {
  return path.length === 0 ? "root" : path.join(".");
}

function isObjectSchema({ type, properties }: Schema): boolean {
  return type === "object" || properties !== undefined || (Array.isArray(type) && type.includes("object"));
}

/** The schema of an optional property, for a vendor that requires every property. */
function permitNull(schema: unknown): unknown {
  if (!isRecord(schema)) return schema;
  const { type, description, anyOf } = schema;
  const simple = schema["enum"] === undefined && schema["const"] === undefined && schema["$ref"] === undefined;
  if (typeof type === "string" && simple) return type === "null" ? schema : { ...schema, type: [type, "null"] };
  if (Array.isArray(type)) return type.includes("null") ? schema : { ...schema, type: [...type, "null"] };
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf, { type: "null" }] };
  const { description: _description, ...inner } = schema;
  return { ...(description === undefined ? {} : { description }), anyOf: [inner, { type: "null" }] };
}
