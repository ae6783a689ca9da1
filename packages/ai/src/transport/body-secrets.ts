/** The credentials in the body of a request: those with which a provider signs in to the MCP servers of the application. */
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
