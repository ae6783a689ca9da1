/** Writes a JSON value in one way only, so that values can be compared and signed. */
export function toCanonicalJson(value: unknown): string {
  let visited = 0;
  /** Numbers that JSON writes as another value, with their places: `1e400` is read as Infinity, and written as null. */
  let others = "";
  const json = JSON.stringify(value, (_name, part: unknown) => {
    visited++;
    if (Object.is(part, -0)) others += `\n${visited} -0`;
    else if (typeof part === "number" && !Number.isFinite(part)) others += `\n${visited} ${part}`;
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    // The keys of an object in their order: that of a transcript that was stored may be another one.
    const names = Object.keys(part).sort();
    return Object.fromEntries(names.map((name) => [name, Reflect.get(part, name)]));
  });
  return json + others;
}
