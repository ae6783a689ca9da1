/** Finds the credentials in a request body that a provider uses to sign in to the application's MCP servers. */
import { isRecord } from "../utils/is-object.js";

/** Most bodies have none, and every watched request asks. */
const NONE: readonly string[] = [];

/** `authorization_token` of Anthropic's `mcp_servers`; `authorization` and `headers` of the Responses API's `mcp` tools. */
export function secretsInBody(body: unknown): readonly string[] {
  if (!isRecord(body)) return NONE;
  const [inServers, inTools] = [secretsOfAll(body["mcp_servers"]), secretsOfAll(body["tools"])];
  return inServers.length === 0 ? inTools : [...inServers, ...inTools];
}

function secretsOfAll(list: unknown): readonly string[] {
  if (!Array.isArray(list)) return NONE;
  const signingIn = list.filter(signsIn);
  return signingIn.length === 0 ? NONE : signingIn.flatMap(secretsOf);
}

function signsIn(server: unknown): boolean {
  if (!isRecord(server)) return false;
  return (
    server["authorization_token"] !== undefined || server["authorization"] !== undefined || isRecord(server["headers"])
  );
}

function secretsOf(server: unknown): string[] {
  if (!isRecord(server)) return [];
  const { authorization_token: token, authorization, headers } = server;
  const values = [token, authorization, ...(isRecord(headers) ? Object.values(headers) : [])];
  return values.flatMap((value) => (typeof value === "string" ? [value] : []));
}
