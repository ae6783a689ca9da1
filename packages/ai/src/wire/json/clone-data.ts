/** Copies data that may be changed, such as arguments, which a schema may convert: the tool call must not change. */
import { setOwn } from "./plain-data.js";

/** Thrown if a value is nested too deep, which includes a value that contains itself. */
export class TooDeepError extends Error {}

/**
 * Returns a deep copy of JSON-like data. Several times faster than `structuredClone`, which still copies all other
 * values.
 *
 * @param maxDepth the maximum nesting of arrays and objects; without it, the value must not contain itself
 * @throws TooDeepError if the value is nested deeper
 */
export function cloneData<TValue>(value: TValue, maxDepth?: number): TValue;
export function cloneData(value: unknown, maxDepth: number = Number.POSITIVE_INFINITY): unknown {
  if (typeof value !== "object" || value === null) return typeof value === "function" ? structuredClone(value) : value;
  if (maxDepth < 1) throw new TooDeepError();
  if (Array.isArray(value)) return value.map((item) => cloneData<unknown>(item, maxDepth - 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return cloneOther(value, maxDepth);
  const keys = Object.keys(value);
  // To read all keys at once is much faster than one by one, and most arguments have no further level; of very many it is slower.
  const hasMany = keys.length > MANY_KEYS;
  const copy: Record<string, unknown> = hasMany ? {} : { ...value };
  const source = hasMany ? value : copy;
  for (const key of keys) {
    const child: unknown = Reflect.get(source, key);
    if (hasMany || typeof child === "object" || typeof child === "function")
      setOwn(copy, key, cloneData(child, maxDepth - 1));
  }
  return copy;
}

const MANY_KEYS = 1000;

function cloneOther(value: object, maxDepth: number): unknown {
  if (maxDepth < Number.POSITIVE_INFINITY && isDeeperThan(value, maxDepth)) throw new TooDeepError();
  return structuredClone(value);
}

/**
 * Whether arrays and objects are nested more than `maxDepth` levels deep. Does not recurse, stops as early as possible,
 * and visits an object once per level, so cycles terminate.
 */
export function isDeeperThan(value: unknown, maxDepth: number): boolean {
  let level = new Set<object>();
  addContainer(level, value);
  for (let depth = 1; level.size > 0; depth++) {
    if (depth > maxDepth) return true;
    const next = new Set<object>();
    for (const container of level) addChildren(next, container);
    level = next;
  }
  return false;
}

function addChildren(containers: Set<object>, container: object): void {
  if (Array.isArray(container)) for (const child of container) addContainer(containers, child);
  // Of an object with very many keys, its list of values takes the engine several times as long as reading one after the other.
  else for (const key of Object.keys(container)) addContainer(containers, Reflect.get(container, key));
}

function addContainer(containers: Set<object>, value: unknown): void {
  if (typeof value === "object" && value !== null) containers.add(value);
}
