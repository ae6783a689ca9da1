/** Suggests corrections of a misspelt name, for error texts. */
import { ConfigError } from "../errors.js";
import { isRecord } from "./is-object.js";
import { nameValue } from "./name-value.js";

/** The longest name to compare. The input is untrusted, and the comparison is quadratic in its length. */
const MAX_LENGTH = 100;

/** Largest edit distance between a misspelt name and a suggested one. */
const MAX_DISTANCE = 2;

/** The names closest to the input, the closest first. Ignores case. */
export function nearestNames(written: string, names: Iterable<string>, count = 3): string[] {
  const target = fold(written);
  return Array.from(names, (name) => ({ name, distance: editDistance(target, fold(name)) }))
    .sort((left, right) => left.distance - right.distance)
    .slice(0, count)
    .map(({ name }) => name);
}

/** The known name that a misspelt one most likely means; undefined if none is close. Ignores case and underscores. */
export function nearestName(written: string, names: Iterable<string>): string | undefined {
  const [nearest] = nearestNames(written, names, 1);
  // Half of a short name may be another word.
  const most = Math.min(MAX_DISTANCE, written.length >> 1);
  return nearest !== undefined && editDistance(fold(written), fold(nearest)) <= most ? nearest : undefined;
}

/** A name in an object that is a known one but for its spelling, and that one. Other names may be the caller's own. */
export function findMisspelt(given: object, known: readonly string[]): { name: string; near: string } | undefined {
  for (const name of Object.keys(given)) {
    const near = known.includes(name) ? undefined : nearestName(name, known);
    if (near) return { name, near };
  }
  return undefined;
}

/** The names of the options of a function. A record, so that a new one fails to compile where it is missing. */
export type OptionNames<TOptions> = Readonly<Record<keyof TOptions, true>>;

/** @throws ConfigError for an option that does not exist: it would be ignored without a word */
export function checkOptionNames(place: string, options: object, names: Readonly<Record<string, true>>): void {
  // A tag is that of a class, such as a request or a promise, whose fields are none of its own.
  if (!isRecord(options) || Symbol.toStringTag in options)
    throw new ConfigError(`${place}: the options must be an object of options, not ${nameValue(options)}.`);
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(names, name)) continue;
    const near = nearestName(name, Object.keys(names));
    const advice = near ? `Did you mean "${near}"?` : `The options are ${Object.keys(names).join(", ")}.`;
    throw new ConfigError(`${place}: unknown option "${name}". ${advice}`);
  }
}

function fold(name: string): string {
  return name.slice(0, MAX_LENGTH).replaceAll("_", "").toLowerCase();
}

/** The number of insertions, deletions and replacements between two texts (Levenshtein), computed row by row. */
function editDistance(left: string, right: string): number {
  let above = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const replaced = (above[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    above = current;
  }
  return above[right.length] ?? 0;
}
