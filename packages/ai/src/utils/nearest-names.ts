/** Suggests corrections of a misspelt name, for error texts. */

/** The longest name to compare. The input is untrusted, and the comparison is quadratic in its length. */
const MAX_LENGTH = 100;

/** The names closest to the input, the closest first. Ignores case. */
export function nearestNames(written: string, names: Iterable<string>, count = 3): string[] {
  const target = fold(written);
  return Array.from(names, (name) => ({ name, distance: editDistance(target, fold(name)) }))
    .sort((left, right) => left.distance - right.distance)
    .slice(0, count)
    .map(({ name }) => name);
}

function fold(name: string): string {
  return name.slice(0, MAX_LENGTH).toLowerCase();
}

/** The number of insertions, deletions and replacements between two texts (Levenshtein), computed row by row. */
export function editDistance(left: string, right: string): number {
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
