/**
 * The parts of an MCP client that are used. `Client` of `@modelcontextprotocol/sdk` 1.x and of
 * `@modelcontextprotocol/client` 2.x are such clients.
 */
import type { UserBlock } from "pi-ai";
import { isRecord } from "pi-ai/call";

/** A connected client. */
export interface McpClient {
  /** Undefined once the connection is closed. */
  readonly transport?: unknown;
  /** Closes the connection. */
  close(): Promise<void>;
  /** `tools/list`. */
  listTools(
    params?: McpCursor,
    ...options: never[]
  ): Promise<{ tools: McpToolInfo[]; nextCursor?: string | undefined }>;
  /** `resources/list`. */
  listResources(
    params?: McpCursor,
    ...options: never[]
  ): Promise<{ resources: McpResourceInfo[]; nextCursor?: string | undefined }>;
  /** `resources/read`. */
  readResource(params: { uri: string }, ...options: never[]): Promise<{ contents: unknown[] }>;
  /** `prompts/list`. */
  listPrompts(
    params?: McpCursor,
    ...options: never[]
  ): Promise<{ prompts: McpPromptInfo[]; nextCursor?: string | undefined }>;
  /** `prompts/get`. */
  getPrompt(
    params: { name: string; arguments?: Record<string, string> },
    ...options: never[]
  ): Promise<{ messages: { role: string; content: unknown }[] }>;
  /** `tools/call`. The position of the options differs between the versions. */
  callTool(params: { name: string; arguments?: Record<string, unknown> }, ...more: never[]): Promise<unknown>;
  /** Any request, with the schema of its result and options. Used to list tools of which the client cannot check one. */
  request?(...request: never[]): Promise<unknown>;
}

/** The parameters of a list request. */
export interface McpCursor {
  /** The cursor that the previous page returned. */
  cursor?: string;
}

/** A tool as its server describes it. No field can be trusted. */
export interface McpToolInfo {
  /** The name on the server. */
  name: string;
  /** A name for people. */
  title?: string | undefined;
  /** What the tool does, for the model. */
  description?: string | undefined;
  /** The JSON Schema of the arguments. */
  inputSchema: object;
  /** The JSON Schema of `structuredContent`. */
  outputSchema?: unknown;
  /** How the tool is run. `required` means that the server runs it as a task only, which `mcpTools` does not support. */
  execution?: { taskSupport?: string | undefined } | undefined;
  /** Hints on how the tool behaves. */
  annotations?:
    | {
        /** The tool changes nothing. */
        readOnlyHint?: boolean | undefined;
        /** A second call with the same arguments changes nothing more. */
        idempotentHint?: boolean | undefined;
        /** The tool may destroy something. */
        destructiveHint?: boolean | undefined;
        /** The tool reaches beyond its server. */
        openWorldHint?: boolean | undefined;
      }
    | undefined;
}

/** A resource as its server describes it. */
export interface McpResourceInfo {
  /** The name by which it is read. */
  uri: string;
  /** Its short name. */
  name: string;
  /** A name for people. */
  title?: string | undefined;
  /** What it holds. */
  description?: string | undefined;
  /** For example `text/plain`. */
  mimeType?: string | undefined;
}

/** A prompt as its server describes it. */
export interface McpPromptInfo {
  /** The name by which it is requested. */
  name: string;
  /** A name for people. */
  title?: string | undefined;
  /** What it is for. */
  description?: string | undefined;
  /** Its arguments. */
  arguments?: { name: string; description?: string | undefined; required?: boolean | undefined }[] | undefined;
}

/** Options of one request, in both versions. */
export interface McpRequestOptions {
  signal?: AbortSignal | undefined;
  timeout?: number;
  resetTimeoutOnProgress?: true;
  onprogress?: (progress: { progress: number; total?: number; message?: string }) => void;
}

/** Calls a tool of the server. */
export function callTool(
  client: McpClient,
  params: { name: string; arguments: Record<string, unknown> },
  options: McpRequestOptions,
): Promise<unknown> {
  // Version 1 takes the schema of the result first; undefined is its default. Only version 2 can listen.
  return client.callTool(params, ...toNever("listen" in client ? [options] : [undefined, options]));
}

/** The types of the options differ between the versions; `never` fits both. */
export function toNever(options: unknown[]): never[] {
  // Both versions read only the fields of McpRequestOptions.
  return options as never[];
}

/** The image types that all vendors accept. Any other would make each later request of the conversation fail. */
const IMAGE = /^image\/(png|jpeg|gif|webp)$/;

/**
 * Returns one block for each item. An item that a model cannot read becomes a line of text that names it, such as
 * `[resource_link notes.txt file:///notes.txt text/plain]` or `[audio audio/wav, 1200 bytes]`.
 *
 * @param other receives the items that are only named
 */
export function toBlocks(content: unknown, other: unknown[] = []): UserBlock[] {
  if (!Array.isArray(content)) return [];
  return content.filter(isRecord).map((item) => {
    const source = isRecord(item["resource"]) ? item["resource"] : item;
    const { text, mimeType, name, uri, data = source["blob"] } = source;
    if (typeof text === "string") return { type: "text", text };
    const bytes = typeof data === "string" && data;
    if (bytes && typeof mimeType === "string" && IMAGE.test(mimeType)) return { type: "image", data: bytes, mimeType };
    other.push(item);
    const facts = [item["type"] ?? "resource", name, uri, mimeType].filter((fact) => typeof fact === "string");
    const size = bytes ? `, ${Math.floor(bytes.length * 0.75)} bytes` : "";
    return { type: "text", text: `[${facts.join(" ")}${size}]` };
  });
}
