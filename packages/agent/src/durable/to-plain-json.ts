/** Makes a value the same before and after an engine has stored it. */
import { toPlainValue } from "../session/plain-value.js";

/**
 * The value as JSON gives it back, so that the process that ran a step and the one that repeats it see the same. What
 * JSON cannot hold is replaced by a text.
 */
export function toPlainJson<TValue>(value: TValue): TValue {
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch {
    json = JSON.stringify(toPlainValue(value));
  }
  // The steps of a run are plain data; what differs from it is documented to be lost.
  return json === undefined ? (undefined as TValue) : JSON.parse(json);
}
