/**
 * Names the address of a request that found nothing there, and the one that is likely right. Only for addresses without
 * TLS, as servers at home have them: the catalogue knows the vendors' addresses.
 */

/** Ends of the paths of model requests, as often as a `baseUrl` that contains them repeats them. */
const ENDPOINT =
  /(\/chat\/completions|\/responses|\/v1\/messages|\/messages)(?:\/chat\/completions|\/responses|\/v1\/messages)*$/;
/** Apis whose `baseUrl` ends in `/v1`; the path of the others begins with it. */
const VERSION_IN_BASE: ReadonlySet<string | undefined> = new Set(["/chat/completions", "/responses"]);

/**
 * Returns a text to append to the error; empty for other errors. A server that knows the path, but not the model, says so.
 *
 * @param text the server's words and codes
 */
export function describeAddress(url: string | undefined, status: number, text: string): string {
  if ((status !== 404 && status !== 405) || url === undefined || !/^http:/i.test(url)) return "";
  if (/\b(?:model|deployment)/i.test(text)) return "";
  const { origin, pathname } = new URL(url);
  if (!ENDPOINT.test(pathname)) return "";
  const baseUrl = likelyBase(pathname);
  const advice = baseUrl === undefined ? "check the model's baseUrl" : `the baseUrl is probably ${origin}${baseUrl}`;
  return ` (asked: ${origin}${pathname}; ${advice})`;
}

/** The path of the base URL that is likely right; undefined if the path looks right. */
function likelyBase(pathname: string): string | undefined {
  const [found, endpoint] = ENDPOINT.exec(pathname) ?? [];
  if (found === undefined) return undefined;
  const base = pathname.slice(0, -found.length);
  const prefix = base.replace(/(?:\/v1)+$/, "");
  const needsVersion = VERSION_IN_BASE.has(endpoint);
  const likely = needsVersion && !/\/v\d/.test(prefix) ? `${prefix}/v1` : prefix;
  return likely === base && found === endpoint ? undefined : likely;
}
