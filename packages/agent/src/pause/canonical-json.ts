/** Writes a JSON value in one way only, so that values can be compared and signed. */
export function toCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    // The keys of an object in their order: that of a transcript that was stored may be another one.
    return Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  });
}
