/** Keeps credentials out of texts that come from a server. */

/** Shorter values are no secrets, and would tear holes into ordinary words. */
const SHORTEST_SECRET = 6;
const SECRET_HEADER = /authorization|api-?key|token|secret|cookie/i;

/** The values that must not be seen: keys, and headers that carry credentials (without `Bearer`). */
export function collectSecrets(
  keys: readonly (string | undefined)[],
  ...headers: readonly (Record<string, string | null> | undefined)[]
): string[] {
  const secrets = new Set<string>();
  const add = (value: string | null | undefined): void => {
    const bare = value?.replace(/^(bearer|basic)\s+/i, "").trim();
    if (bare && bare.length >= SHORTEST_SECRET) secrets.add(bare);
  };
  for (const key of keys) add(key);
  for (const set of headers)
    for (const [name, value] of Object.entries(set ?? {})) if (SECRET_HEADER.test(name)) add(value);
  // The longest first: one secret may be a part of another.
  return [...secrets].sort((a, b) => b.length - a.length);
}

export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) clean = clean.replaceAll(secret, "[redacted]");
  return clean;
}
