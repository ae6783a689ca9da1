/** kill -9 at random points of a running session log, with real processes. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DIES_WITH_PARENT } from "../../../../test/support/child-flags.js";
import { createSessionLog, loadSession } from "../../src/entries/session.js";
import { Agent, type AgentMessage } from "../../src/index.js";

const KILLS = 200;
const AT_ONCE = 4;
const MOST_MESSAGES = 120;

const root = resolve(import.meta.dirname, "../../../..");
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "session-crash-"));
  const tsup = join(root, "node_modules/tsup/dist/cli-default.js");
  const flags = ["--config", "test/session/tsup.config.ts", "--out-dir", folder];
  await promisify(execFile)(process.execPath, [tsup, ...flags], { cwd: join(root, "packages/agent") });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Kills the child after some messages. Returns how many it had passed, and the content of the log. */
async function killAfter(
  messages: number,
  file: string,
): Promise<{ seen: number; loaded: AgentMessage[]; text: string }> {
  const child = spawn(process.execPath, [...DIES_WITH_PARENT, join(folder, "crash-child.js"), file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.on("data", (chunk) => {
    printed += String(chunk);
    if (printed.split("\n").length > messages) child.kill("SIGKILL");
  });
  await once(child, "close");
  const { messages: loaded } = await loadSession(file);
  return { seen: printed.split("\n").length - 1, loaded, text: await readFile(file, "utf8") };
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

it(`loses no complete message when it is killed at ${KILLS} points`, async () => {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let run = next++; run < KILLS; run = next++) {
      const file = join(folder, `run-${run}.jsonl`);
      const { seen, loaded, text } = await killAfter(1 + ((run * 37) % MOST_MESSAGES), file);
      const logged = text
        .split("\n")
        .filter((line) => line.startsWith('{"type":"message"') && line.endsWith("}")).length;
      expect(logged, `run ${run}`).toBeGreaterThanOrEqual(seen);
      expect(loaded.length, `run ${run}`).toBeGreaterThanOrEqual(seen);
      expectValid(loaded);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
});

it("continues a log whose last line is incomplete", async () => {
  const file = join(folder, "torn.jsonl");
  await killAfter(5, file);
  const { truncate, stat } = await import("node:fs/promises");
  await truncate(file, (await stat(file)).size - 7);
  const { messages, interrupted, notices } = await loadSession(file);
  expect(interrupted).toBe(true);
  expect(notices[0]).toMatch(/^The last line was cut off after \d+ bytes and was dropped$/);
  const log = await createSessionLog(new Agent({ initialState: { messages } }), file);
  await log.close();
  expect((await loadSession(file)).messages).toEqual(messages);
});
