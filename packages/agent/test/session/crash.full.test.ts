/** kill -9 at random points of running session logs in every store, with real processes and a real PostgreSQL. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { Agent, type AgentMessage } from "pi-agent";
import { createSessionLog, loadSession } from "pi-agent/session";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DIES_WITH_PARENT } from "../../../../test/support/child-flags.js";
import { type DatabaseServer, noPostgres, startPostgres } from "../../../../test/support/database-servers.js";
import { logged } from "./logged.js";
import { STORES } from "./stores.js";

/** For each store: sessions that are killed once or several times, one after the other. */
const SESSIONS = 40;
const KILLS_OF_A_SESSION = [1, 1, 2, 3, 5];
const AT_ONCE = 4;
const MAX_MESSAGES = 120;

const root = resolve(import.meta.dirname, "../../../..");
let folder: string;
let server: DatabaseServer | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "session-crash-"));
  const tsup = join(root, "node_modules/tsup/dist/cli-default.js");
  const flags = ["--config", "test/session/tsup.config.ts", "--out-dir", folder];
  await promisify(execFile)(process.execPath, [tsup, ...flags], { cwd: join(root, "packages/agent") });
  if (!noPostgres) server = await startPostgres();
});

afterAll(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Kills the child after some messages. Returns those that it had passed. */
async function killAfter(messages: number, words: readonly string[]): Promise<AgentMessage[]> {
  const child = spawn(process.execPath, [...DIES_WITH_PARENT, join(folder, "crash-child.js"), ...words], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  let lines = 0;
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    printed += chunk;
    lines += chunk.split("\n").length - 1;
    if (lines >= messages) child.kill("SIGKILL");
  });
  await once(child, "close");
  // The last line may be cut off.
  const whole = printed.slice(0, printed.lastIndexOf("\n") + 1).split("\n");
  return whole.filter(Boolean).map((line) => JSON.parse(line));
}

function expectValid(messages: readonly AgentMessage[]): void {
  const open = new Set<string>();
  for (const message of messages) {
    if (message.role === "toolResult") expect(open.delete(message.toolCallId)).toBe(true);
    else expect(open.size).toBe(0);
    if (message.role !== "assistant") continue;
    for (const block of message.content) if (block.type === "toolCall") open.add(block.id);
  }
  expect(open.size).toBe(0);
}

describe.each(Object.keys(STORES))("the store %s", (name) => {
  const isDatabase = name === "pg" || name === "postgres.js";
  const reason = isDatabase ? noPostgres : undefined;
  const title = reason ? ` (skipped: ${reason})` : "";

  it.skipIf(reason !== undefined)(
    `loses no complete message if its writers are killed repeatedly${title}`,
    async () => {
      const place = isDatabase ? (server?.folder ?? "") : join(folder, name);
      const opened = STORES[name]?.(place);
      let next = 0;
      const worker = async (): Promise<void> => {
        for (let run = next++; run < SESSIONS; run = next++) {
          const id = `run-${run}`;
          const kills = KILLS_OF_A_SESSION[run % KILLS_OF_A_SESSION.length] ?? 1;
          for (let kill = 0; kill < kills; kill++) {
            // A server may still be executing a statement of the last writer. From now on it is rejected.
            await opened?.store.append(id, [], { takeOver: true });
            const before = (await opened?.store.load(id))?.messages ?? [];
            const passed = await killAfter(1 + ((run * 37 + kill * 53) % MAX_MESSAGES), [name, place, id]);
            const loaded = (await opened?.store.load(id))?.messages ?? [];
            expect(passed.length, `${id}, kill ${kill}`).toBeGreaterThan(0);
            expect(loaded.slice(0, before.length + passed.length), `${id}, kill ${kill}`).toEqual([
              ...before,
              ...passed,
            ]);
            expectValid(loaded);
          }
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      expect(await opened?.store.list({ limit: 1000 })).toHaveLength(SESSIONS);
      await opened?.close();
    },
  );
});

it("continues a log whose last line is incomplete", async () => {
  const file = join(folder, "torn.jsonl");
  const passed = await killAfter(5, ["file", file]);
  expect((await readFile(file, "utf8")).split("\n").length).toBeGreaterThan(passed.length);
  await truncate(file, (await stat(file)).size - 7);
  const { messages, interrupted, notices } = await loadSession(file);
  expect(interrupted).toBe(true);
  expect(notices[0]).toMatch(/^The last line was cut off after \d+ bytes and was dropped$/);
  const log = await logged(new Agent({ initialState: { messages } }), createSessionLog(file));
  await log.close();
  expect((await loadSession(file)).messages).toEqual(messages);
});
