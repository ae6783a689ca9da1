/** Cross-origin requests: the headers that a browser requires before a page may send a request and read the response. */
import { OFFSET_HEADER, RUN_HEADER } from "./kept-response.js";
import { Problem } from "./problem.js";

/** Seconds for which a browser may cache the permission. Browsers have lower limits of their own. */
const MAX_AGE = 86_400;

/**
 * The CORS headers of a response; empty if no other origin is allowed.
 *
 * @param allowed origins, or `"*"` for all
 */
export function corsHeaders(request: Request, allowed: readonly string[]): Record<string, string> {
  if (allowed.length === 0) return {};
  if (allowed.includes("*")) return { "access-control-allow-origin": "*" };
  const origin = request.headers.get("origin");
  const isAllowed = origin !== null && allowed.some((one) => one.replace(/\/$/, "") === origin);
  // Keeps a cache from serving one origin's permission to another.
  return { vary: "origin", ...(isAllowed ? { "access-control-allow-origin": origin } : {}) };
}

/**
 * The response to a preflight request; undefined for other requests.
 *
 * @param canResume whether a client may continue and stop a response
 * @throws Problem 403 for an origin that is not allowed
 */
export function respondToPreflight(
  request: Request,
  allowed: readonly string[],
  canResume: boolean,
): Response | undefined {
  if (request.method !== "OPTIONS" || allowed.length === 0) return undefined;
  if (!("access-control-allow-origin" in corsHeaders(request, allowed))) {
    throw new Problem(403, "Requests from this origin are not allowed");
  }
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-methods": canResume ? "POST, GET, DELETE" : "POST",
      "access-control-allow-headers": `authorization, content-type${canResume ? `, ${RUN_HEADER}, ${OFFSET_HEADER}` : ""}`,
      "access-control-max-age": String(MAX_AGE),
    },
  });
}
