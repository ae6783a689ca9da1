/** Real servers for tests, each in its own folder and reached over a socket there, so that no ports collide. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DIES_WITH_PARENT } from "./child-flags.js";
import { eventually } from "./patience.js";

export interface DatabaseServer {
  /** The folder of the socket. */
  folder: string;
  /** The socket. */
  socket: string;
  stop(): Promise<void>;
}

/** Where Debian's packages install servers; the newest version first. */
const POSTGRES_HOME = "/usr/lib/postgresql";
const REDIS = ["/usr/bin/redis-server", "/usr/local/bin/redis-server"].find((path) => existsSync(path));
/** The account without privileges, because PostgreSQL refuses to run as root. */
const NOBODY = 65534;

const postgresFolder = findPostgres();
const isRoot = process.getuid?.() === 0;

/** The reason why the tests on a server are skipped; undefined if it is installed. */
export const noPostgres: string | undefined = postgresFolder ? undefined : "PostgreSQL is not installed (postgresql)";
export const noRedis: string | undefined = REDIS ? undefined : "Redis is not installed (redis-server)";

function findPostgres(): string | undefined {
  if (!existsSync(POSTGRES_HOME)) return undefined;
  const versions = readdirSync(POSTGRES_HOME).sort((one, other) => Number(other) - Number(one));
  return versions.map((version) => join(POSTGRES_HOME, version, "bin")).find((bin) => existsSync(join(bin, "initdb")));
}

/** The user `test` owns the database `postgres`, without a password. */
export async function startPostgres(): Promise<DatabaseServer> {
  if (!postgresFolder) throw new Error(noPostgres);
  const folder = mkdtempSync(join(tmpdir(), "pg-"));
  const data = join(folder, "data");
  const account = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  const environment = { PATH: "/usr/bin:/bin", LC_ALL: "C.UTF-8", HOME: folder };
  const flags = ["-D", data, "-U", "test", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C.UTF-8"];
  execFileSync(join(postgresFolder, "initdb"), flags, { ...account, cwd: folder, env: environment, stdio: "pipe" });
  const settings = ["listen_addresses=", "fsync=off", "max_connections=60", "shared_buffers=16MB"];
  const words = ["-D", data, "-k", folder, ...settings.flatMap((setting) => ["-c", setting])];
  const stop = startServer(join(postgresFolder, "postgres"), words, { folder, account });
  const socket = join(folder, ".s.PGSQL.5432");
  await eventually(() => {
    if (!/\bready\b/.test(readFileSync(join(data, "postmaster.pid"), "utf8"))) throw new Error("It has not started");
  });
  return { folder, socket, stop };
}

export async function startRedis(): Promise<DatabaseServer> {
  if (!REDIS) throw new Error(noRedis);
  const folder = mkdtempSync(join(tmpdir(), "redis-"));
  const socket = join(folder, "redis.sock");
  const words = ["--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no", "--dir", folder];
  const stop = startServer(REDIS, words, { folder, account: {} });
  await eventually(() => {
    if (!existsSync(socket)) throw new Error("Redis has not started");
  });
  return { folder, socket, stop };
}

/**
 * Starts the server and ends it when its parent dies, which no server does by itself. At SIGTERM, PostgreSQL waits for its
 * clients to leave: one that was told to may still be on its way. At SIGINT it does not wait.
 */
const KEEPER = `
  const [account, program, ...words] = process.argv.slice(1);
  const options = { ...JSON.parse(account), stdio: "ignore" };
  const server = require("node:child_process").spawn(program, words, options);
  server.once("exit", () => process.exit());
  process.once("exit", () => server.kill("SIGINT"));
  process.on("SIGTERM", () => server.kill("SIGTERM"));
`;

function startServer(
  program: string,
  words: readonly string[],
  { folder, account }: { folder: string; account: { uid?: number; gid?: number } },
): () => Promise<void> {
  const flags = [...DIES_WITH_PARENT, "-e", KEEPER, "--", JSON.stringify(account), program, ...words];
  const child: ChildProcess = spawn(process.execPath, flags, { cwd: folder, stdio: "ignore" });
  const exited = once(child, "exit");
  return async () => {
    child.kill("SIGTERM");
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
}
