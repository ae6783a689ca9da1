/** Both versions of the official client. */
import type { ElicitingMcpClient, McpClient } from "pi-agent/mcp";
import { loadFrom } from "./processes.js";

type OfficialClient = McpClient & ElicitingMcpClient;

interface Constructors {
  Client: new (info: object, options: object) => OfficialClient & { connect(transport: unknown): Promise<void> };
  Stdio: new (command: object) => unknown;
  Http: new (url: URL) => unknown;
}

/** What is done with a client before it is connected. */
export type Prepare = (client: OfficialClient) => unknown;

export interface ClientVersion {
  version: 1 | 2;
  overStdio(command: object, options?: object, prepare?: Prepare): Promise<McpClient>;
  overHttp(url: URL, prepare?: Prepare): Promise<McpClient>;
}

export function loadClient(folder: string, version: 1 | 2): ClientVersion {
  const { Client, Stdio, Http } = version === 1 ? loadVersion1(folder) : loadVersion2(folder);
  const connect = async (transport: unknown, options: object = {}, prepare?: Prepare): Promise<McpClient> => {
    const client = new Client({ name: "test", version: "1.0.0" }, { capabilities: {}, ...options });
    prepare?.(client);
    await client.connect(transport);
    return client;
  };
  return {
    version,
    overStdio: (command, options, prepare) => connect(new Stdio({ ...command, stderr: "ignore" }), options, prepare),
    overHttp: (url, prepare) => connect(new Http(url), {}, prepare),
  };
}

function loadVersion1(folder: string): Constructors {
  const load = loadFrom(folder);
  const { Client } = load("@modelcontextprotocol/sdk/client/index.js");
  const { StdioClientTransport: Stdio } = load("@modelcontextprotocol/sdk/client/stdio.js");
  const { StreamableHTTPClientTransport: Http } = load("@modelcontextprotocol/sdk/client/streamableHttp.js");
  return check({ Client, Stdio, Http });
}

function loadVersion2(folder: string): Constructors {
  const load = loadFrom(folder);
  const { Client, StreamableHTTPClientTransport: Http } = load("@modelcontextprotocol/client");
  const { StdioClientTransport: Stdio } = load("@modelcontextprotocol/client/stdio");
  return check({ Client, Stdio, Http });
}

function check(found: Record<keyof Constructors, unknown>): Constructors {
  for (const [name, value] of Object.entries(found)) if (typeof value !== "function") throw new Error(`no ${name}`);
  // The compiler cannot resolve the packages; the code above checked that they export classes.
  return found as Constructors;
}
