/** The lists of an MCP server: its tools, resources and prompts. */
import { isRecord } from "pi-ai/call";
import {
  isUnsent,
  isVersion2,
  type McpClient,
  type McpConnection,
  type McpCursor,
  type McpPromptInfo,
  type McpResourceInfo,
  type McpToolInfo,
  toNever,
} from "./connection.js";

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
      list === "Tools" ? listTools(client, params, options) : client[`list${list}`](params, ...options),
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

/** A schema that accepts anything, in the forms that both versions take. */
const ANYTHING = {
  safeParse: (data: unknown) => ({ success: true, data }),
  "~standard": { version: 1, vendor: "pi-agent", validate: (value: unknown) => ({ value }) },
};

/**
 * Lists a page of tools. A client that cannot use the schema of one tool rejects the whole list; the list is then requested
 * without the client's checks. Version 1 compiles every output schema of a list to check results by it, so its checks are never
 * asked for.
 */
async function listTools(
  client: McpClient,
  params: McpCursor | undefined,
  options: never[],
): Promise<{ nextCursor?: string | undefined }> {
  const requestUnchecked = async (): Promise<object> =>
    Object(await client.request?.(...toNever([{ method: "tools/list", params }, ANYTHING, ...options])));
  if (client.request && !isVersion2(client)) return requestUnchecked();
  try {
    return await client.listTools(params, ...options);
  } catch (error) {
    // Not for an error of the server or of the connection.
    if (!isRejectedList(error) || !client.transport || !client.request) throw error;
    // The first error says more than a second one.
    return await requestUnchecked().catch(() => Promise.reject(error));
  }
}

/** Whether the client itself rejected a list that it received. */
function isRejectedList(error: unknown): boolean {
  const { code, status, name }: Record<string, unknown> = Object(error);
  if (code !== undefined) return code === "INVALID_RESULT";
  return status === undefined && name !== "AbortError" && !isUnsent(error);
}
