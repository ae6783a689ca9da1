/** Finds the credentials in a request body that a provider uses to sign in to the application's MCP servers. */
import { isRecord } from "../utils/is-object.js";

/** `authorization_token` of Anthropic's `mcp_servers`; `authorization` and `headers` of the Responses API's `mcp` tools. */
export function secretsInBody(body: unknown): string[] {
  if (!isRecord(body)) return [];
  return [body["mcp_servers"], body["tools"]].flatMap((list) => (Array.isArray(list) ? list.flatMap(secretsOf) : []));
}

function secretsOf(server: unknown): string[] {
  if (!isRecord(server)) return [];
  const { authorization_token: token, authorization, headers } = server;
  const values = [token, authorization, ...(isRecord(headers) ? Object.values(headers) : [])];
  return values.flatMap((value) => (typeof value === "string" ? [value] : []));
}
