/** An MCP client whose server is a list of tools. */

import type { ElicitingMcpClient, McpClient, McpToolInfo } from "pi-agent/mcp";
import { expect } from "vitest";

/** The options of a request, as both versions of the client read them. */
export interface SentOptions {
  signal?: AbortSignal;
  timeout?: number;
  resetTimeoutOnProgress?: boolean;
  onprogress?: (progress: { progress: number; total?: number; message?: string }) => void;
  allowInputRequired?: boolean;
  toolDefinition?: object;
}

export interface SentCall {
  name: string;
  args: unknown;
  /** The other parameters. */
  more: Record<string, unknown>;
  options: SentOptions;
}

export interface FakeClient extends McpClient, ElicitingMcpClient {
  transport: unknown;
  getServerVersion(): { name: string } | undefined;
  calls: SentCall[];
  /** What the client has declared. */
  capabilities: unknown[];
  /** Asks as a server does that speaks the protocol of 2025. */
  ask(params: unknown): Promise<unknown>;
  /** Each answers one call, in order. The last one answers all further calls. */
  results: ((call: SentCall) => unknown)[];
}

export function toolInfo(name: string, more: Partial<McpToolInfo> = {}): McpToolInfo {
  return { name, inputSchema: { type: "object", properties: {} }, ...more };
}

/** A connected client. With `pageSize`, the lists have pages. */
export function createClient(
  tools: McpToolInfo[],
  settings: { version?: 1 | 2; pageSize?: number; era?: "legacy" | "modern" } = {},
): FakeClient {
  const { version = 2, pageSize = 100, era = "legacy" } = settings;
  let handle: ((request: unknown) => Promise<unknown>) | undefined;
  const unused = () => Promise.reject(new Error("not used"));
  const client: FakeClient = {
    transport: {},
    calls: [],
    capabilities: [],
    registerCapabilities: (...declared: unknown[]) => void client.capabilities.push(...declared),
    setRequestHandler: (...[request, handler]: unknown[]) => {
      // Version 1 reads the method from a schema.
      const { shape } = Object(request) as { shape?: { method: { value: string } } };
      expect(version === 1 ? shape?.method.value : request).toBe("elicitation/create");
      handle = handler as typeof handle;
    },
    ask: async (params) => handle?.({ method: "elicitation/create", params }),
    getServerVersion: () => ({ name: "bank" }),
    getProtocolEra: () => era,
    results: [() => ({ content: [{ type: "text", text: "done" }] })],
    close: async () => {
      client.transport = undefined;
    },
    listTools: async (params) => {
      const start = Number(params?.cursor ?? 0);
      const end = start + pageSize;
      return { tools: tools.slice(start, end), nextCursor: end < tools.length ? String(end) : undefined };
    },
    callTool: async ({ name, arguments: args, ...others }, ...more: unknown[]) => {
      // The position is what differs between the versions; the shape is the same.
      const options = more[version === 1 ? 1 : 0] as SentOptions;
      if (version === 1 && more[0] !== undefined) throw new Error("not the schema of a result");
      const call = { name, args, more: others, options };
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
