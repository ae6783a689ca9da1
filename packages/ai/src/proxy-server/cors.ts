/** Pages of other origins: what a browser wants to be told before it lets them ask and read. */
import { Problem } from "./problem.js";

/** Seconds for which a browser may remember the permission; browsers have bounds of their own. */
const REMEMBERED = 86_400;

/**
 * The headers for the answer to a page; none where nobody else may ask.
 *
 * @param allowed origins, or `"*"` for all
 */
export function corsHeaders(request: Request, allowed: readonly string[]): Record<string, string> {
  if (allowed.length === 0) return {};
  if (allowed.includes("*")) return { "access-control-allow-origin": "*" };
  const origin = request.headers.get("origin");
  const isAllowed = origin !== null && allowed.some((one) => one.replace(/\/$/, "") === origin);
  // A cache must not give one page the permission of another.
  return { vary: "origin", ...(isAllowed ? { "access-control-allow-origin": origin } : {}) };
}

/**
 * The answer to a browser that asks before it sends; undefined for other requests.
 *
 * @throws Problem 403 for a page that may not ask
 */
export function respondToPreflight(request: Request, allowed: readonly string[]): Response | undefined {
  if (request.method !== "OPTIONS" || allowed.length === 0) return undefined;
  if (!("access-control-allow-origin" in corsHeaders(request, allowed))) {
    throw new Problem(403, "Pages of this origin may not ask here");
  }
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-methods": "POST",
      "access-control-allow-headers": "authorization, content-type",
      "access-control-max-age": String(REMEMBERED),
    },
  });
}
