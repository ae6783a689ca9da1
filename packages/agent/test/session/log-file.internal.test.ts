/** A session file is read part by part, so its size is not in memory, and where a part ends changes nothing. */
import { type FileHandle, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openLineFile } from "../../src/stores/session/line-file.js";
import { type LogFile, readLog } from "../../src/stores/session/log-file.js";
import { messagesOf } from "../../src/stores/session/session-lines.js";

const HEADER = '{"type":"session","version":1,"at":1}\n';
/** Of a message without a text, without its line break. */
const LINE_LENGTH = lineOf("").length - 1;

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "log-file-"));
  file = join(folder, "chat.jsonl");
});
afterAll(() => rm(folder, { recursive: true }));

function lineOf(content: string): string {
  return `${JSON.stringify({ type: "message", message: { role: "user", content, timestamp: 1 } })}\n`;
}

async function read(content: string | Uint8Array, maxLength?: number): Promise<LogFile> {
  await writeFile(file, content);
  const handle = await openLineFile(file, "read");
  return readLog(handle, { file, ...(maxLength !== undefined && { maxLength }) }).finally(() => handle.close());
}

function contentsOf({ lines }: LogFile): unknown[] {
  return messagesOf(lines).map((message) => (message.role === "user" ? message.content : undefined));
}

test("characters and lines may lie across the ends of parts", async () => {
  const texts = Array.from({ length: 300 }, (_, index) => `${"a".repeat(index % 7)}${"€😀é".repeat(200 + index)}`);
  const log = await read(HEADER + texts.map(lineOf).join(""));
  expect(contentsOf(log)).toEqual(texts);
  expect(log).toMatchObject({ skipped: [], tornBytes: 0, isOpen: false });
});

test("a line of several parts is read whole, and a damaged one is skipped alone", async () => {
  const long = "€".repeat(400_000);
  const damaged = Buffer.from([0x22, ...Buffer.from("€".repeat(100_000)), 0xff, 0x0a]);
  const last = lineOf("last").trim();
  const content = Buffer.concat([Buffer.from(HEADER + lineOf(long)), damaged, Buffer.from(last)]);
  const log = await read(content);
  expect(contentsOf(log)).toEqual([long, "last"]);
  expect(log.skipped).toEqual([{ line: 3, reason: "is not valid UTF-8" }]);
  expect(log).toMatchObject({ isOpen: true, wholeBytes: content.length, tornBytes: 0 });
});

test("a line that no string can hold says so, and the others are read", async () => {
  const tooLong = lineOf("€".repeat(11)).trim();
  const log = await read(`${HEADER}${tooLong}\n${lineOf("€".repeat(10))}`, LINE_LENGTH + 10);
  expect(contentsOf(log)).toEqual(["€".repeat(10)]);
  expect(log.skipped).toEqual([
    {
      line: 2,
      reason: `is too long to read: it has ${Buffer.byteLength(tooLong)} bytes, from byte ${HEADER.length} of ${file} on, and a line that can be read has up to ${LINE_LENGTH + 10} characters. It stays in the file: to have it back, shorten it with a program that reads in parts`,
    },
  ]);
});

test("a last line without a line break that is too long is not taken for one that a death has cut", async () => {
  const content = HEADER + lineOf("a".repeat(11)).trim();
  const log = await read(content, LINE_LENGTH + 10);
  expect(log.skipped).toMatchObject([{ line: 2 }]);
  expect(log).toMatchObject({ isOpen: true, wholeBytes: content.length, tornBytes: 0 });
});

test("no part is larger than 256 KiB, whatever the file is", async () => {
  await writeFile(file, HEADER + lineOf("a".repeat(3_000_000)));
  const handle = await openLineFile(file, "read");
  const reads = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, "read");
  const whole = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, "readFile");
  await readLog(handle, { file }).finally(() => handle.close());
  expect(reads.mock.calls.length).toBeGreaterThan(11);
  for (const [part] of reads.mock.calls) expect((part as unknown as Buffer).length).toBe(256 * 1024);
  expect(whole).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});
