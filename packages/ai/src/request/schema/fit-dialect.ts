/** Writes the parameters of a tool in the form of JSON Schema that a vendor accepts, and reports what that changes. */
import type { SchemaDialect } from "../../catalogue/compat/index.js";
import { cutText } from "../../errors.js";
import { isRecord } from "../../utils/is-object.js";
import { resolvePointer } from "../../utils/json-pointer.js";
import { hoistReferences } from "./hoist-references.js";
import { isCombined, toPlainObject } from "./plain-object.js";
import { repairKeyword } from "./repair-keyword.js";
import { mapChildren, type Schema } from "./schema-children.js";
import { MAX_SCHEMA_DEPTH } from "./schema-refs.js";
import { toTyped } from "./typed-schema.js";

/** The work for all schemas of a request, in parts of schemas. */
const MAX_PARTS = 200_000;
/** A vendor's form may have so many times as many parts as the schema, and this number more. */
const GROWTH = { times: 2, more: 2000 };
const MAX_CHANGES = 30;
const MAX_LINE = 300;

/** Keywords that say nothing about an object of arguments as a whole, or that no vendor takes at the top. */
const NOT_AT_TOP: readonly string[] = ["enum", "const", "not", "items", "nullable"];
/** Where a schema may be `true` or `false`, which every vendor takes. */
const SWITCHES: ReadonlySet<string> = new Set([
  "additionalItems",
  "additionalProperties",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

export interface FittedSchema {
  schema: Schema;
  /** One line for each change: where and what. */
  changes: string[];
}

/** The room for the schemas of one request. */
export class DialectBudget {
  left: number = MAX_PARTS;
}

/** Returns the same object if the vendor accepts it. Never throws: what is too deep or too much permits every value. */
export function fitDialect(parameters: object, dialect: SchemaDialect, budget: DialectBudget): FittedSchema {
  return new Fitting(parameters, dialect, budget).run();
}

class Fitting {
  readonly #given: Schema;
  readonly #dialect: SchemaDialect;
  readonly #budget: DialectBudget;
  readonly #changes: string[] = [];
  #root: Schema = {};
  /** The parts of the schema that is given, and then those that may still be written. */
  #parts = 1;

  constructor(parameters: unknown, dialect: SchemaDialect, budget: DialectBudget) {
    this.#given = isRecord(parameters) ? parameters : {};
    this.#dialect = dialect;
    this.#budget = budget;
  }

  run(): FittedSchema {
    const { plainTop, typed, propertyNames } = this.#dialect;
    const moves = plainTop || typed || propertyNames !== undefined;
    const clean = this.#toDraft(this.#given, []);
    const root = moves ? hoistReferences(clean, typed) : clean;
    if (root !== clean) this.#note([], "moved what references point to into $defs");
    this.#root = root;
    const top = this.#toTop(root);
    this.#root = top;
    this.#parts = GROWTH.times * this.#parts + GROWTH.more;
    const schema = this.#toForm(top, []);
    return { schema, changes: this.#changes };
  }

  /** Draft 2020-12. */
  #toDraft(given: Schema, path: readonly string[]): Schema {
    const own = this.#repairKeywords(given, path);
    const children = mapChildren(own, (child, place) => {
      const inside = [...path, ...place];
      if (typeof child === "boolean") return SWITCHES.has(place[0]) ? child : this.#toRecord(child, inside);
      if (!isRecord(child)) return this.#replace(inside, "left out what is no schema");
      if (inside.length > 2 * MAX_SCHEMA_DEPTH || this.#budget.left-- <= 0)
        return this.#replace(inside, "left out what is nested too deep, or too much");
      this.#parts++;
      return this.#toDraft(child, inside);
    });
    return this.#liftRequired(children, own, path);
  }

  #repairKeywords(given: Schema, path: readonly string[]): Schema {
    const entries = Object.entries(given);
    let changed = false;
    const kept = entries.flatMap(([keyword, value]): [string, unknown][] => {
      const repaired = repairKeyword(keyword, value, given);
      // JSON leaves out a keyword without a value; whoever reads one would take it for a type of its own.
      if (repaired === value && value !== undefined) return [[keyword, value]];
      changed = true;
      // The object around it lists the names.
      const isFlag = path.length > 0 && keyword === "required" && typeof value === "boolean";
      if (value !== undefined && !isFlag)
        this.#note(path, `${repaired === undefined ? "left out" : "wrote"} ${keyword}`);
      return repaired === undefined ? [] : [[keyword, repaired]];
    });
    return changed ? Object.fromEntries(kept) : given;
  }

  /** Draft 3 says of a property itself that it is required. */
  #liftRequired(schema: Schema, given: Schema, path: readonly string[]): Schema {
    const properties = isRecord(given["properties"]) ? given["properties"] : {};
    const lifted = Object.keys(properties).filter((name) => Object(properties[name]).required === true);
    if (lifted.length === 0) return schema;
    const required = Array.isArray(schema["required"]) ? schema["required"] : [];
    this.#note(path, "wrote required: true as a list of names");
    return { ...schema, required: [...new Set([...required, ...lifted])] };
  }

  #toRecord(child: boolean, path: readonly string[]): Schema {
    this.#note(path, `wrote ${child} as a schema`);
    return child ? {} : { not: {} };
  }

  #replace(path: readonly string[], change: string): Schema {
    this.#note(path, change);
    return {};
  }

  /** The parameters are an object. */
  #toTop(root: Schema): Schema {
    const { plainTop } = this.#dialect;
    if (!isCombined(root) && root["type"] !== "object" && (plainTop || root["type"] === undefined))
      this.#note([], "wrote it as an object");
    if (!plainTop) return root["type"] === undefined && !isCombined(root) ? { ...root, type: "object" } : root;
    const top = isCombined(root) ? this.#flatten(root, []) : root;
    const odd = NOT_AT_TOP.filter((keyword) => top[keyword] !== undefined);
    if (odd.length === 0 && top["type"] === "object") return top;
    if (odd.length > 0) this.#note([], `left out ${odd.join(", ")}`);
    const kept = Object.entries(top).filter(([keyword]) => keyword !== "type" && !odd.includes(keyword));
    const words = odd.map((keyword) => `${keyword}: ${cutText(JSON.stringify(top[keyword]) ?? "", MAX_LINE)}`);
    return withWords(
      { type: "object", ...Object.fromEntries(kept) },
      words.length > 0 ? [`(${words.join(", ")})`] : [],
    );
  }

  #flatten(schema: Schema, path: readonly string[]): Schema {
    const { schema: plain, lost } = toPlainObject(schema, this.#root);
    this.#note(path, "wrote a union, a combination or a reference as one object");
    return withWords(plain, lost);
  }

  /** The form of the vendor, from the outside in. */
  #toForm(given: Schema, path: readonly string[]): Schema {
    const referring = this.#toReference(given, path);
    const typed = this.#dialect.typed ? toTyped(referring, (schema) => this.#flatten(schema, path)) : referring;
    if (typed !== referring) this.#note(path, "wrote its types as the vendor takes them");
    const own = this.#toReference(this.#toTuple(typed, path), path);
    const whole = mapChildren(own, (child, place) => {
      if (!isRecord(child)) return child;
      const inside = [...path, ...place];
      // A form without combinations repeats what they refer to, without end if that refers to itself.
      const isTooMuch = this.#parts-- <= 0 || path.length > 3 * MAX_SCHEMA_DEPTH;
      if (isTooMuch) this.#note(inside, "left out what would repeat itself");
      return isTooMuch ? this.#anything() : this.#toForm(child, inside);
    });
    return this.#complete(whole, path);
  }

  #anything(): Schema {
    return this.#dialect.typed ? { type: "object", properties: {} } : {};
  }

  #toTuple(schema: Schema, path: readonly string[]): Schema {
    const { items, additionalItems, prefixItems, ...rest } = schema;
    const { tuples, typed } = this.#dialect;
    const list = Array.isArray(items) ? items : prefixItems;
    const follows = Array.isArray(items) ? additionalItems : items;
    if (!Array.isArray(list) || (list === prefixItems && tuples === "prefixItems" && !(typed && items !== undefined)))
      return schema;
    this.#note(path, "wrote the items of a list one by one in another form");
    const after = !isRecord(follows) || typed ? {} : { items: follows };
    if (tuples === "prefixItems") return { ...rest, prefixItems: list, ...after };
    const words = `a list of ${list.length} items in a fixed order`;
    const unique = new Map(
      [...list, ...(isRecord(follows) ? [follows] : [])].map((part) => [JSON.stringify(part), part]),
    );
    const [only] = unique.values();
    return withWords({ ...rest, items: unique.size === 1 ? only : { anyOf: [...unique.values()] } }, [`(${words})`]);
  }

  #toReference(schema: Schema, path: readonly string[]): Schema {
    const { $ref: reference, ...rest } = schema;
    if (typeof reference !== "string") return schema;
    if (reference !== "#" && (!reference.startsWith("#/") || !isRecord(resolvePointer(this.#root, reference)))) {
      this.#note(path, "left out a reference that points to nothing");
      return rest;
    }
    const { besideReference } = this.#dialect;
    const names = Object.keys(rest).filter((keyword) => keyword !== "$defs" && keyword !== "definitions");
    const odd = names.filter((keyword) => besideReference?.includes(keyword) === false);
    if (odd.length === 0) return schema;
    this.#note(path, `left out ${odd.join(", ")} beside $ref`);
    return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !odd.includes(keyword)));
  }

  /** Adds what the vendor demands of each object and each list. */
  #complete(schema: Schema, path: readonly string[]): Schema {
    const { statesProperties, statesItems, requiresStated, typed } = this.#dialect;
    const types = [schema["type"]].flat();
    const added: Schema = {};
    if (statesProperties && types.includes("object") && schema["properties"] === undefined) added["properties"] = {};
    if (statesItems && types.includes("array") && schema["items"] === undefined && schema["prefixItems"] === undefined)
      added["items"] = typed ? toTyped({}, (any) => any) : {};
    const names = Object.keys(added);
    if (names.length > 0) this.#note(path, `added empty ${names.join(", ")}`);
    const whole = names.length > 0 ? { ...schema, ...added } : schema;
    return requiresStated ? this.#withStated(whole, path) : whole;
  }

  #withStated(schema: Schema, path: readonly string[]): Schema {
    const { required, ...rest } = schema;
    if (!Array.isArray(required)) return schema;
    const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
    const stated = required.filter((name) => Object.hasOwn(properties, name));
    if (stated.length === required.length) return schema;
    this.#note(path, "left out required names that are no properties");
    return stated.length === 0 ? rest : { ...schema, required: stated };
  }

  #note(path: readonly string[], change: string): void {
    if (this.#changes.length === MAX_CHANGES) this.#changes.push("… and more");
    const place = path.length === 0 ? "root" : path.join(".");
    if (this.#changes.length < MAX_CHANGES) this.#changes.push(cutText(`${place}: ${change}`, MAX_LINE));
  }
}

/** The schema with sentences at the end of its description. */
export function withWords(schema: Schema, words: readonly string[]): Schema {
  if (words.length === 0) return schema;
  const { description, ...rest } = schema;
  const given = typeof description === "string" && description !== "" ? [description] : [];
  return { ...rest, description: [...given, ...words].join(" ") };
}
