/** Merges headers of one request from several sources. */

/** Headers by name. `null` removes a header that the SDK would add. */
export type HeaderSet = Readonly<Record<string, string | null>>;

/** Merges sets of headers. Later sets override earlier ones, and names are compared without regard to case. */
export function mergeHeaders(...sets: readonly (HeaderSet | undefined)[]): Record<string, string | null> {
  const merged = new Map<string, { name: string; value: string | null }>();
  for (const set of sets)
    for (const [name, value] of Object.entries(set ?? {})) {
      // Plain JavaScript may pass undefined.
      if (value !== undefined) merged.set(name.toLowerCase(), { name, value });
    }
  return Object.fromEntries(Array.from(merged.values(), ({ name, value }) => [name, value]));
}
