/** Headers of one request from several places. */

/** Headers by name; `null` removes one that the SDK would add. */
export type HeaderSet = Readonly<Record<string, string | null>>;

/** Merges sets of headers, later ones winning. Names that differ in case only are one header. */
export function mergeHeaders(...sets: readonly (HeaderSet | undefined)[]): Record<string, string | null> {
  const merged = new Map<string, { name: string; value: string | null }>();
  for (const set of sets)
    for (const [name, value] of Object.entries(set ?? {})) {
      // A value may be undefined where the caller's language has no types.
      if (value !== undefined) merged.set(name.toLowerCase(), { name, value });
    }
  return Object.fromEntries(Array.from(merged.values(), ({ name, value }) => [name, value]));
}
