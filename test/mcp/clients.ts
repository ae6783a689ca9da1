/** Both versions of the official client. */
import type { McpClient } from "pi-agent/mcp";
import { loadFrom } from "./processes.js";

interface Constructors {
  Client: new (info: object, options: object) => McpClient & { connect(transport: unknown): Promise<void> };
  Stdio: new (command: object) => unknown;
  Http: new (url: URL) => unknown;
}

export interface ClientVersion {
  version: 1 | 2;
  overStdio(command: object, options?: object): Promise<McpClient>;
  overHttp(url: URL): Promise<McpClient>;
}

export function loadClient(folder: string, version: 1 | 2): ClientVersion {
  const { Client, Stdio, Http } = version === 1 ? loadVersion1(folder) : loadVersion2(folder);
  const connect = async (transport: unknown, options: object = {}): Promise<McpClient> => {
    const client = new Client({ name: "test", version: "1.0.0" }, { capabilities: {}, ...options });
    await client.connect(transport);
    return client;
  };
  return {
    version,
    overStdio: (command, options) => connect(new Stdio({ ...command, stderr: "ignore" }), options),
    overHttp: (url) => connect(new Http(url)),
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
