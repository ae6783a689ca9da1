/** A session file of nothing but damaged or empty lines costs no more than it must, and its error is clear. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSessionLog, loadSession, SessionLogError } from "pi-agent/session";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { heapUsed } from "../../../ai/test/faults/leftovers.js";

const HEADER = '{"type":"session","version":1,"at":1}\n';

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "damaged-session-"));
  file = join(folder, "chat.jsonl");
});
afterEach(() => {
  vi.restoreAllMocks();
});
afterAll(() => rm(folder, { recursive: true }));

test("100,000 damaged lines are reported, and one more is an error", async () => {
  await writeFile(file, HEADER + "{\n".repeat(100_000));
  expect((await loadSession(file)).skipped).toHaveLength(100_000);
  await writeFile(file, HEADER + "{\n".repeat(200_000));
  const error = await loadSession(file).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SessionLogError);
  expect(error).toMatchObject({
    message: "Line 100002 of the session log is one of more than 100000 damaged lines",
  });
  await expect(createSessionLog(file)).rejects.toThrow(SessionLogError);
});

test("another file with as many lines is no session log", async () => {
  await writeFile(file, "{\n".repeat(200_000));
  await expect(loadSession(file)).rejects.toThrow("The file is not a session log: line 1 is not its header");
});

test("empty lines are not decoded", async () => {
  const decode = vi.spyOn(TextDecoder.prototype, "decode");
  await writeFile(file, HEADER + "\n".repeat(1000));
  expect(await loadSession(file)).toMatchObject({ messages: [], skipped: [] });
  expect(decode.mock.calls.length).toBeLessThan(10);
});

test("a notice does not keep its whole line in memory", async () => {
  await writeFile(file, HEADER + `{"broken":"${"x".repeat(1_000_000)}"}\n`.repeat(50));
  const before = await heapUsed();
  const { skipped } = await loadSession(file);
  expect((await heapUsed()) - before).toBeLessThan(10_000_000);
  expect(skipped).toHaveLength(50);
});
