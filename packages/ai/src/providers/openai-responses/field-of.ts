/** Reads a field of an unknown value. */
import { isObject } from "../../utils/is-object.js";
export function fieldOf(value: unknown, name: string): unknown {
  return isObject(value) ? Reflect.get(value, name) : undefined;
}
