/**
 * The parts of an MCP client that are used, and its connection. `Client` of `@modelcontextprotocol/sdk` 1.x and of
 * `@modelcontextprotocol/client` 2.x are such clients.
 */
import { MAX_THROWN_TEXT, processState, shortenText, visibleText } from "pi-ai/call";
import { PausedError } from "../../pause/index.js";

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
  /** `modern` for a server that speaks 2026-07-28 or later. Version 1 has no such method, and does not speak it. */
  getProtocolEra?(): unknown;
  /** The name and version that the server gives itself. */
  getServerVersion?(): { name: string } | undefined;
  /** Any request, with the schema of its result and options. Used to list tools without a check by the client. */
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
  /** The description of the tool, for the model. */
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
  /** Its contents. */
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
  /** Its purpose. */
  description?: string | undefined;
  /** Its arguments. */
  arguments?: { name: string; description?: string | undefined; required?: boolean | undefined }[] | undefined;
}

/** Options of one request, in both versions. */
export interface McpRequestOptions {
  signal?: AbortSignal | undefined;
  timeout?: number | undefined;
  resetTimeoutOnProgress?: true | undefined;
  onprogress?: ((progress: { progress: number; total?: number; message?: string }) => void) | undefined;
  /** Returns the questions of a server instead of passing them to handlers. Version 1 has no such option. */
  allowInputRequired?: true | undefined;
}

/** The longest delay of a timer; stands for no timeout. */
export const NO_TIMEOUT_MS: number = 2 ** 31 - 1;

/** Only version 2 can listen. */
export function isVersion2(client: object): boolean {
  return "listen" in client;
}

/**
 * Calls a tool of the server. No client checks the result by the tool's `outputSchema`: both come from the server, which could
 * make the check take for ever, by a pattern or by a schema that refers to itself. Version 1 only knows the schemas of tools
 * that it listed, see `lists.ts`; version 2 takes the tool's definition from here.
 */
export function callTool(
  client: McpClient,
  tool: McpToolInfo,
  sent: { arguments: Record<string, unknown> },
  options: McpRequestOptions,
): Promise<unknown> {
  const params = { name: tool.name, ...sent };
  const { outputSchema: _unchecked, ...toolDefinition } = tool;
  // Version 1 takes the schema of the result first; undefined is its default.
  const more = isVersion2(client) ? [{ ...options, toolDefinition }] : [undefined, options];
  return client.callTool(params, ...toNever(more));
}

/** The types of the options differ between the versions; `never` fits both. */
export function toNever(options: unknown[]): never[] {
  // Both versions read only the fields of McpRequestOptions.
  return options as never[];
}

// The connection: a client is connected again when it was lost, if the application passed a function that connects.

/**
 * A connected client, or a function that connects one. The function is called at the first request, and again after the
 * connection was lost. Use the same function for tools, resources and prompts, so that they share one connection.
 */
export type McpSource = McpClient | (() => McpClient | Promise<McpClient>);

/**
 * Runs a request. If the connection was lost and the application can reconnect, the request is sent again once, provided
 * that it never left, or that it is safe to repeat. An error that the server answered with is never a reason to repeat.
 */
export type McpConnection = <TResult>(
  request: (client: McpClient) => Promise<TResult>,
  mayRepeat?: boolean,
) => Promise<TResult>;

const connections = /* @__PURE__ */ processState("mcp connections", () => new WeakMap<McpSource, McpConnection>());

export function connectionOf(source: McpSource): McpConnection {
  const connection =
    connections.get(source) ??
    showErrors(createConnection(typeof source === "function" ? source : checkClient(source)));
  connections.set(source, connection);
  return connection;
}

/** A text of the server that becomes an error. The model reads the beginning and the end of all of them. */
export function shortenError(text: string): string {
  return shortenText(text, 3 * MAX_THROWN_TEXT, { head: MAX_THROWN_TEXT, tail: MAX_THROWN_TEXT, mark: () => " … " });
}

/** The client's errors quote the server, and whoever prints one prints its stack, too. */
function showErrors(connection: McpConnection): McpConnection {
  return async (request, mayRepeat) => {
    try {
      return await connection(request, mayRepeat);
    } catch (error) {
      if (error instanceof Error) {
        const { message } = error;
        const shown = visibleText(shortenError(message));
        // In place, so that the class and the code stay.
        if (shown !== message) {
          error.stack = visibleText((error.stack ?? "").replace(message, () => shown));
          error.message = shown;
        }
      }
      throw error;
    }
  };
}

function checkClient(client: McpClient | undefined): McpClient {
  if (typeof client?.callTool === "function") return client;
  throw new TypeError("Pass a connected client of an MCP SDK, or a function that returns one");
}

function createConnection(source: McpSource): McpConnection {
  if (typeof source !== "function")
    return async (request) => {
      try {
        return await request(source);
      } catch (error) {
        throw isUnsent(error) ? new Error(NOT_CONNECTED, { cause: error }) : error;
      }
    };
  let opening: Promise<McpClient> | undefined;

  /**
   * Several requests may notice the same lost connection; only the first of them reconnects.
   *
   * @param lost a client that cannot be used any more; one that is closing still has a transport
   */
  async function open(lost?: McpClient): Promise<McpClient> {
    opening ??= connect();
    const first = opening;
    const client = await first;
    if (client.transport && client !== lost) return client;
    if (opening === first) opening = connect();
    return opening ?? client;
  }

  async function connect(): Promise<McpClient> {
    // `opening` is set before the function runs, also for one that throws at once.
    await null;
    try {
      return checkClient(await (source as () => McpClient | Promise<McpClient>)()); // checked above
    } catch (error) {
      // The next request tries again.
      opening = undefined;
      throw error;
    }
  }

  return async (request, mayRepeat = true) => {
    const client = await open();
    try {
      return await request(client);
    } catch (error) {
      const status = refusalOf(error);
      // The next request opens a new session, even if this one is not repeated.
      if (status !== undefined) await client.close().catch(() => {});
      else if (!wasLost(client, error)) throw error;
      if (!mayRepeat && !isUnsent(error)) throw new Error(describeLoss(status), { cause: error });
      return request(await open(client));
    }
  };
}

const NOT_CONNECTED =
  "The client is not connected to its MCP server, so nothing was sent. Pass a function that connects in place of the " +
  "client, and a closed connection is opened again";

function describeLoss(status: number | undefined): string {
  if (status === undefined) return "The connection was lost. Whether the tool took effect is unknown.";
  return (
    `The server refused the call with HTTP ${status}, as servers do that no longer know the session. It was not repeated, ` +
    "because the tool must not run twice. The next call opens a new session."
  );
}

/**
 * HTTP 404, or 400 of older servers: the session is unknown. Undefined for other errors, also for a JSON-RPC error, with
 * which the server answers: it may have such a code as well, and the tool may have run.
 */
function refusalOf(error: unknown): number | undefined {
  // Version 2 has the HTTP status in `status`. Version 1 has it in `code`, like that of a JSON-RPC error (`McpError`).
  const { status, code, name, message }: Record<string, unknown> = Object(error);
  const isHttp = name === "Error" && String(message).startsWith("Streamable HTTP error");
  const found = status ?? (isHttp ? code : undefined);
  return found === 400 || found === 404 ? found : undefined;
}

/** Whether a request failed because of the connection. A call that waits for the user was cancelled instead. */
function wasLost({ transport }: McpClient, error: unknown): boolean {
  return !(error instanceof PausedError) && (!transport || isUnsent(error));
}

/** Whether the client refused to send a request, because its transport is closed or closing. */
export function isUnsent(error: unknown): boolean {
  const { code, name, message }: Record<string, unknown> = Object(error);
  // The code is that of version 2. Version 1 throws a plain error; an answer of the server is an `McpError`.
  return code === "NOT_CONNECTED" || (name === "Error" && message === "Not connected");
}
