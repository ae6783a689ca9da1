/** An MCP client whose server is a list of tools. */
import type { McpClient, McpToolInfo } from "pi-agent/mcp";

/** The options of a request, as both versions of the client read them. */
export interface SentOptions {
  signal?: AbortSignal;
  timeout?: number;
  resetTimeoutOnProgress?: boolean;
  onprogress?: (progress: { progress: number; total?: number; message?: string }) => void;
}

export interface SentCall {
  name: string;
  args: unknown;
  options: SentOptions;
}

export interface FakeClient extends McpClient {
  transport: unknown;
  calls: SentCall[];
  /** Each answers one call, in order. The last one answers all further calls. */
  results: ((call: SentCall) => unknown)[];
}

export function toolInfo(name: string, more: Partial<McpToolInfo> = {}): McpToolInfo {
  return { name, inputSchema: { type: "object", properties: {} }, ...more };
}

/** A connected client. With `pageSize`, the lists have pages. */
export function createClient(tools: McpToolInfo[], settings: { version?: 1 | 2; pageSize?: number } = {}): FakeClient {
  const { version = 2, pageSize = 100 } = settings;
  const unused = () => Promise.reject(new Error("not used"));
  const client: FakeClient = {
    transport: {},
    calls: [],
    results: [() => ({ content: [{ type: "text", text: "done" }] })],
    close: async () => {
      client.transport = undefined;
    },
    listTools: async (params) => {
      const start = Number(params?.cursor ?? 0);
      const end = start + pageSize;
      return { tools: tools.slice(start, end), nextCursor: end < tools.length ? String(end) : undefined };
    },
    callTool: async ({ name, arguments: args }, ...more: unknown[]) => {
      // The position is what differs between the versions; the shape is the same.
      const options = more[version === 1 ? 1 : 0] as SentOptions;
      if (version === 1 && more[0] !== undefined) throw new Error("not the schema of a result");
      const call = { name, args, options };
      client.calls.push(call);
      const respond = client.results.length > 1 ? client.results.shift() : client.results[0];
      return respond?.(call);
    },
    listResources: unused,
    readResource: unused,
    listPrompts: unused,
    getPrompt: unused,
  };
  return version === 2 ? Object.assign(client, { listen: unused }) : client;
}
