/** Reconnects a client whose connection was lost, if the application passed a function that connects. */
import { type McpClient, type McpPromptInfo, type McpResourceInfo, type McpToolInfo, toNever } from "./client.js";

/**
 * A connected client, or a function that connects one. The function is called at the first request, and again after the
 * connection was lost. Use the same function for tools, resources and prompts, so that they share one connection.
 */
export type McpSource = McpClient | (() => McpClient | Promise<McpClient>);

/**
 * Runs a request. If the connection was lost and the application can reconnect, the request is repeated once, provided
 * that it is safe to repeat or the server rejected it.
 */
export type McpConnection = <TResult>(
  request: (client: McpClient) => Promise<TResult>,
  mayRepeat?: boolean,
) => Promise<TResult>;

const connections = new WeakMap<McpSource, McpConnection>();

export function connectionOf(source: McpSource): McpConnection {
  const connection = connections.get(source) ?? createConnection(source);
  connections.set(source, connection);
  return connection;
}

function createConnection(source: McpSource): McpConnection {
  if (typeof source !== "function") return (request) => request(source);
  let opening: Promise<McpClient> | undefined;

  /** Several requests may notice the same lost connection; only the first of them reconnects. */
  async function open(): Promise<McpClient> {
    opening ??= connect();
    const first = opening;
    const client = await first;
    if (client.transport) return client;
    if (opening === first) opening = connect();
    return opening ?? client;
  }

  async function connect(): Promise<McpClient> {
    try {
      return await (source as () => McpClient | Promise<McpClient>)(); // checked above
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
      const refused = isRefused(error);
      if (refused) await client.close();
      else if (client.transport) throw error;
      else if (!mayRepeat)
        throw new Error("The connection was lost. Whether the tool took effect is unknown.", { cause: error });
      return request(await open());
    }
  };
}

/** HTTP 404, or 400 of older servers: the session is unknown, and the request was not run. */
function isRefused(error: unknown): boolean {
  // Version 1 has the HTTP status in `code`, version 2 in `status`. Anything may be thrown.
  const { status, code } = Object(error) as { status?: unknown; code?: unknown };
  return [400, 404].includes(Number(status ?? code));
}

/** A server may return pages without end. The client of version 2 has the same limit. */
const MAX_PAGES = 64;

interface Lists {
  Tools: McpToolInfo;
  Resources: McpResourceInfo;
  Prompts: McpPromptInfo;
}

/**
 * Returns the items of all pages of a list.
 *
 * @throws Error when the server sends more than 64 pages
 */
export async function listAll<TList extends keyof Lists>(
  connection: McpConnection,
  list: TList,
  signal?: AbortSignal,
): Promise<Lists[TList][]> {
  const all: Lists[TList][] = [];
  // A client of version 2 would return a cached list.
  const options = toNever([{ signal, cacheMode: "refresh" }]);
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const params = cursor === undefined ? undefined : { cursor };
    const page = await connection<{ nextCursor?: string | undefined }>((client) =>
      client[`list${list}`](params, ...options),
    );
    // The list of a page has the name of the method, in lower case.
    all.push(...(Reflect.get(page, list.toLowerCase()) as Lists[TList][]));
    cursor = page.nextCursor;
    if (cursor === undefined) return all;
  }
  throw new Error(`The MCP server sent more than ${MAX_PAGES} pages`);
}
