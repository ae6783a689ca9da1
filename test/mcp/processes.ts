/** Starts the servers of the MCP project as processes. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { join } from "node:path";
import { DIES_WITH_PARENT } from "../support/child-flags.js";

/** The program of a package in the folder. */
export function programOf(folder: string, name: string): string {
  return join(folder, "node_modules/@modelcontextprotocol", name, "dist/index.js");
}

/** The command that starts a server which talks over its standard input and output. */
export function stdioCommand(folder: string, name: string, args: string[] = []): { command: string; args: string[] } {
  return { command: process.execPath, args: [...DIES_WITH_PARENT, programOf(folder, name), ...args] };
}

export interface HttpServer {
  url: URL;
  stop(): Promise<void>;
}

/** Starts `server-everything` over HTTP. It does not report the port that it listens on, so it gets a free one. */
export async function startHttpServer(folder: string, port?: number): Promise<HttpServer> {
  const chosen = port ?? (await findFreePort());
  const args = [...DIES_WITH_PARENT, programOf(folder, "server-everything"), "streamableHttp"];
  const child = spawn(process.execPath, args, { env: { PORT: String(chosen) }, stdio: ["ignore", "ignore", "pipe"] });
  let printed = "";
  for await (const piece of child.stderr) {
    printed += piece;
    if (printed.includes("listening")) break;
  }
  if (!printed.includes("listening")) throw new Error(`server-everything did not start: ${printed}`);
  return { url: new URL(`http://127.0.0.1:${chosen}/mcp`), stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  if (child.exitCode === null && child.kill("SIGKILL")) await ended;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address !== "object" || address === null) throw new Error("there is no free port");
  return address.port;
}

/** Loads a module as the packages in the folder would. */
export function loadFrom(folder: string): (name: string) => Record<string, never> {
  return createRequire(join(folder, "package.json"));
}
