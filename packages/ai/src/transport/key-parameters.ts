/** Finds and removes API keys in URLs. */
const KEY_PARAMETERS = ["key", "api_key", "apikey", "access_token", "token"];

/** The keys in a URL. */
export function keysInUrl(url: string): string[] {
  const { searchParams } = new URL(url);
  return KEY_PARAMETERS.flatMap((name) => searchParams.getAll(name));
}

/** A URL without its keys. */
export function withoutKeys(url: string): string {
  const clean = new URL(url);
  for (const name of KEY_PARAMETERS) clean.searchParams.delete(name);
  return clean.href;
}
