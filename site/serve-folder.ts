/** Serves the files of a folder on this machine, as any host of static sites does. */
import { once } from "node:events";
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { pipeline } from "node:stream/promises";

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
  ".md": "text/markdown",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain",
  ".webp": "image/webp",
};

export interface FolderServer {
  /** The address of the first page. */
  url: string;
  close(): Promise<void>;
}

/** @param base the path at which the folder stands, with a slash at both ends */
export async function serveFolder(folder: string, base: string): Promise<FolderServer> {
  const server = createServer((request, response) => {
    const file = findFile(folder, base, request.url ?? "/");
    response.writeHead(file === undefined ? 404 : 200, {
      "content-type": `${TYPES[extname(file ?? ".txt")] ?? "application/octet-stream"}; charset=utf-8`,
    });
    if (file === undefined) response.end("Not found");
    // A reader that goes away ends the copy, and concerns nobody else.
    else pipeline(createReadStream(file), response).catch(() => {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server listens on a port");
  return {
    url: `http://127.0.0.1:${address.port}${base}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function findFile(folder: string, base: string, url: string): string | undefined {
  const pathname = pathOf(url);
  if (!pathname?.startsWith(base)) return undefined;
  // `normalize` of an absolute path never leads above its root.
  const path = join(folder, normalize(`/${pathname.slice(base.length)}`));
  return [path, join(path, "index.html"), `${path}.html`].find(isFile);
}

/** Undefined if the escapes in the address stand for no text, or for a name that no file has. */
function pathOf(url: string): string | undefined {
  try {
    const path = decodeURIComponent(new URL(url, "http://localhost").pathname);
    return path.includes("\0") ? undefined : path;
  } catch {
    return undefined;
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
