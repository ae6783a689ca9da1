/** Makes a value the same before and after an engine has stored it. */
import { toPlainValue } from "../../stores/session/plain-value.js";

/**
 * Returns the value after a round trip through JSON, so that the process that ran a step and one that repeats it see the
 * same value. Replaces values that JSON cannot represent with a text.
 */
export function toPlainJson<TValue>(value: TValue): TValue {
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch {
    json = JSON.stringify(toPlainValue(value));
  }
  // The steps of a run are plain data. The documentation says that anything else is lost.
  return json === undefined ? (undefined as TValue) : JSON.parse(json);
}
