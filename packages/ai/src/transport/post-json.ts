/** Posts JSON without an SDK, for vendors whose SDK only wraps `fetch`. */
import type { SendContext, WireRequest } from "./wire-request.js";

/** Sends the key as a bearer token. Headers of the request override those set here. */
export function postJson(request: WireRequest, io: SendContext): Promise<Response> {
  return io.fetch(`${request.baseUrl.replace(/\/+$/, "")}${request.path}`, {
    method: "POST",
    headers: buildHeaders(request),
    body: JSON.stringify(request.body),
    signal: io.signal,
  });
}

function buildHeaders({ headers, apiKey, bearerToken }: WireRequest): Headers {
  const built = new Headers({ "content-type": "application/json", accept: "text/event-stream" });
  const token = bearerToken ?? apiKey;
  if (token) built.set("authorization", `Bearer ${token}`);
  // Set one by one, because a name in another case must override the header, not be appended to it.
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) built.delete(name);
    else built.set(name, value);
  }
  return built;
}
