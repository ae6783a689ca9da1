/** Finds what JSON cannot hold: it would vanish from a request, or stop it with an error that does not say where it stands. */
import { formatThrownValue } from "../../utils/diagnostics.js";
import { isObject } from "../../utils/is-object.js";

/** Deeper parts are not searched: what sends them has a limit. */
const MAX_DEPTH = 500;
/** Objects whose content JSON leaves out, or writes as something else. */
const CLOSED = /^\[object ((?:Weak)?(?:Map|Set)|Promise|RegExp|Error|DataView|\w+Array|ArrayBuffer)\]$/;
/** Keywords of JSON Schema whose values are schemas by name. */
const MAPS: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs", "definitions"]);
/** Other functions and symbols are a program's own marks on an object; JSON leaves them out. */
const WORDS: ReadonlySet<string> = new Set(
  "additionalProperties allOf anyOf const default description enum examples format items oneOf pattern type".split(" "),
);

class Search {
  readonly #open = new Set<object>();
  /** Each object is searched once, however often it is referred to. */
  readonly #done = new Set<object>();

  /** @param path the names of the parts around the value, and its own */
  find(value: unknown, path: readonly string[]): string | undefined {
    if (path.length > MAX_DEPTH) return undefined;
    const place = path.join(".");
    try {
      if (!isObject(value)) return findInPlain(value, path);
      if (this.#open.has(value)) return `${place} contains itself`;
      if (this.#done.has(value)) return undefined;
      this.#open.add(value);
      const found = this.#findInside(value, path);
      this.#open.delete(value);
      this.#done.add(value);
      return found;
    } catch (error) {
      return `${place} cannot be read: ${formatThrownValue(error)}`;
    }
  }

  #findInside(value: object, path: readonly string[]): string | undefined {
    // As a date and an address have it.
    if ("toJSON" in value && typeof value.toJSON === "function") return this.find(value.toJSON(), path);
    const kind = Array.isArray(value) ? undefined : CLOSED.exec(Object.prototype.toString.call(value))?.[1];
    if (kind) return `${path.join(".")} is a ${kind}`;
    for (const name of Object.keys(value)) {
      const found = this.#findPart(value, [...path, name]);
      if (found) return found;
    }
    return undefined;
  }

  #findPart(value: object, path: readonly string[]): string | undefined {
    let part: unknown;
    try {
      part = Reflect.get(value, path.at(-1) ?? "");
    } catch (error) {
      return `${path.join(".")} cannot be read: ${formatThrownValue(error)}`;
    }
    return this.find(part, path);
  }
}

function findInPlain(value: unknown, path: readonly string[]): string | undefined {
  const place = path.join(".");
  if (typeof value === "bigint") return `${place} is a BigInt`;
  if (typeof value !== "function" && typeof value !== "symbol") return undefined;
  const name = path.at(-1) ?? "";
  const isRead = WORDS.has(name) || MAPS.has(path.at(-2) ?? "") || /^\d+$/.test(name) || path.length === 1;
  return isRead ? `${place} is a ${typeof value}` : undefined;
}

/**
 * The first such part of a value with its place, such as `parameters.properties.a.maximum is a BigInt`; undefined if JSON can
 * hold all that is read of it. Takes linear time.
 *
 * @param name of the value, with which a place begins
 */
export function findUnwritable(value: unknown, name: string): string | undefined {
  return new Search().find(value, [name]);
}
