/** Reconnects a client whose connection was lost, if the application passed a function that connects. */
import { isRecord } from "pi-ai/call";
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
  const connection =
    connections.get(source) ?? createConnection(typeof source === "function" ? source : checkClient(source));
  connections.set(source, connection);
  return connection;
}

function checkClient(client: McpClient | undefined): McpClient {
  if (typeof client?.callTool === "function") return client;
  throw new TypeError("Pass a connected client of an MCP SDK, or a function that returns one");
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
/** The maximum number of items in a list. Servers of many files list tens of thousands of resources. */
const MAX_ITEMS = 100_000;

interface Lists {
  Tools: McpToolInfo;
  Resources: McpResourceInfo;
  Prompts: McpPromptInfo;
}

/**
 * Returns the items of all pages of a list.
 *
 * @throws Error when the server sends no list, more than 64 pages, or more than 100,000 items
 */
export async function listAll<TList extends keyof Lists>(
  connection: McpConnection,
  list: TList,
  signal?: AbortSignal,
): Promise<Lists[TList][]> {
  let all: Lists[TList][] = [];
  // The list of a page has the name of the method, in lower case.
  const name = list.toLowerCase();
  // A client of version 2 would return a cached list.
  const options = toNever([{ signal, cacheMode: "refresh" }]);
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const params = cursor === undefined ? undefined : { cursor };
    const page = await connection<{ nextCursor?: string | undefined }>((client) =>
      client[`list${list}`](params, ...options),
    );
    const items: unknown = Reflect.get(Object(page), name);
    if (!Array.isArray(items)) throw new Error(`The MCP server sent no list of ${name}`);
    all = all.concat(items.filter(isRecord) as unknown as Lists[TList][]); // A tool checks its own fields.
    if (all.length > MAX_ITEMS) throw new Error(`The MCP server sent more than ${MAX_ITEMS} ${name}`);
    cursor = page.nextCursor ?? undefined;
    if (cursor === undefined) return all;
  }
  throw new Error(`The MCP server sent more than ${MAX_PAGES} pages`);
}
