/** Starts the Restate server that npm installed, on free ports. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { restateServer } from "./install-engines.ts";

export interface RestateServer {
  /** Where runs are started and answered. */
  ingressUrl: string;
  /** Where workers are registered. */
  adminUrl: string;
  stop(): Promise<void>;
}

const PRELOAD = join(import.meta.dirname, "../../../test/support/dies-with-parent.js");
/** A first start on a busy machine. In milliseconds. */
const PATIENCE = 90_000;

/** Ends the server when its parent dies, which it does not do by itself. */
const KEEPER = `
  const server = require("node:child_process").spawn(process.argv[1], [], { stdio: "ignore" });
  server.once("exit", () => process.exit());
  process.once("exit", () => server.kill("SIGKILL"));
  process.on("SIGTERM", () => process.exit());
`;

export async function startRestateServer(): Promise<RestateServer> {
  const [ingress, admin, node] = await freePorts(3);
  const folder = mkdtempSync(join(tmpdir(), "restate-"));
  const env = {
    PATH: "/usr/bin:/bin",
    HOME: folder,
    RESTATE_BASE_DIR: folder,
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
    RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
    RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
    RESTATE_LOG_FILTER: "error",
  };
  const flags = ["--no-warnings", "--import", PRELOAD, "-e", KEEPER, "--", restateServer()];
  const server = spawn(process.execPath, flags, { cwd: folder, env, stdio: "ignore" });
  const ingressUrl = `http://127.0.0.1:${ingress}`;
  const adminUrl = `http://127.0.0.1:${admin}`;
  const stop = async (): Promise<void> => {
    server.kill("SIGTERM");
    if (server.exitCode === null && server.signalCode === null) await once(server, "exit");
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await healthy(server, [`${adminUrl}/health`, `${ingressUrl}/restate/health`]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { ingressUrl, adminUrl, stop };
}

async function healthy(server: ChildProcess, urls: readonly string[]): Promise<void> {
  for (let waited = 0; waited < PATIENCE && server.exitCode === null; waited += 100) {
    const responses = await Promise.all(urls.map((url) => fetch(url).catch(() => undefined)));
    if (responses.every((response) => response?.ok)) return;
    await wait(100);
  }
  throw new Error("Restate has not started");
}

/** Ports of this machine that are free now. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === "object" && address ? address.port : 0;
  });
  for (const server of servers) server.close();
  await Promise.all(servers.map((server) => once(server, "close")));
  return ports;
}
