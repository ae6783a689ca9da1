/** Describes where two JSON values differ. */
import { isObject } from "../utils/is-object.js";

/** Maximum number of listed places. */
const MAX_PLACES = 10;
const MAX_VALUE_LENGTH = 120;

interface Pair {
  path: string;
  expected: unknown;
  actual: unknown;
}

/** One line for each difference, `path: expected …, got …`; undefined if there is none. */
export function describeDifference(expected: unknown, actual: unknown): string | undefined {
  const lines: string[] = [];
  const waiting: Pair[] = [{ path: "", expected, actual }];
  for (let pair = waiting.pop(); pair; pair = waiting.pop()) {
    const inner = innerPairs(pair);
    if (inner) waiting.push(...inner.reverse());
    else if (!Object.is(pair.expected, pair.actual)) lines.push(describePair(pair));
  }
  if (lines.length === 0) return undefined;
  const more = lines.length > MAX_PLACES ? [`  … and ${lines.length - MAX_PLACES} more places`] : [];
  return [...lines.slice(0, MAX_PLACES), ...more].join("\n");
}

/** The fields of two objects, or the items of two lists; undefined if the values themselves must be compared. */
function innerPairs({ path, expected, actual }: Pair): Pair[] | undefined {
  if (!isObject(expected) || !isObject(actual) || Array.isArray(expected) !== Array.isArray(actual)) return undefined;
  const keys = new Set([...Object.keys(expected), ...Object.keys(actual)]);
  return [...keys].map((key) => ({
    path: path === "" ? key : `${path}.${key}`,
    expected: Reflect.get(expected, key),
    actual: Reflect.get(actual, key),
  }));
}

function describePair({ path, expected, actual }: Pair): string {
  return `  ${path || "(root)"}: expected ${show(expected)}, got ${show(actual)}`;
}

function show(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}
