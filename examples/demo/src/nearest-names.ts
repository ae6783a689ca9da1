/** Suggests known names for a mistyped one. */

const MAX_NAMES = 3;

/** Up to three names, nearest first: those that contain `wrong` or are within a few typing errors of it. */
export function nearestNames(wrong: string, names: readonly string[]): string[] {
  const target = wrong.toLowerCase();
  const maxErrors = Math.max(1, Math.floor(target.length / 3));
  return names
    .map((name) => ({ name, distance: distance(target, name.toLowerCase()) }))
    .filter((one) => one.distance <= maxErrors)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_NAMES)
    .map(({ name }) => name);
}

/** Levenshtein distance; 0.5 where one name begins with or contains the other. */
function distance(a: string, b: string): number {
  if (a === b) return 0;
  if (a.length >= 3 && (b.includes(a) || a.includes(b))) return 0.5;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...a].entries()) {
    const current = [row + 1];
    for (const [column, other] of [...b].entries()) {
      const replaced = (previous[column] ?? 0) + (letter === other ? 0 : 1);
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
