/** Tests that entries that were dropped from memory are read again from every kind of source. */
import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentMessage } from "pi-agent";
import { sqliteSessions } from "pi-agent/session/sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Forks } from "../fork/forks.js";
import { RunStore } from "../record/run-store.js";
import { type EntryDetails, respond } from "../server/api.js";
import { openSource } from "./open-source.js";
import type { Source } from "./source.js";

const LIMIT = 300;
const TURNS = 700;

let folder: string;
let sources: Source[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "inspect-history-"));
  sources = [];
});
afterEach(async () => {
  for (const source of sources) await source.close();
  await rm(folder, { recursive: true });
});

async function open(place: string, entries: number): Promise<{ store: RunStore; source: Source }> {
  const store = new RunStore({ runs: 1, entries });
  const { source } = await openSource(place, { store, now: () => 1e15 });
  sources.push(source);
  return { store, source };
}

const NONE = new URLSearchParams();
const read = (store: RunStore, ...path: string[]): Promise<unknown> => respond(store, ["runs", ...path], NONE);

/** The sections to compare. After a reset, the previous prompt may be gone, so the difference to it is left out. */
function withoutBreaks(details: unknown): unknown {
  const { entry, sections } = details as EntryDetails;
  return { entry, sections: sections.filter((one) => one.kind !== "difference" || !one.summary.includes("breaks")) };
}

/** Returns everything that the page can request about the runs. */
async function everything(store: RunStore): Promise<unknown[]> {
  const all: unknown[] = [await read(store)];
  for (const { summary, entries } of store.runs) {
    for (let from = 0; from < entries.length; from += 1000)
      all.push(await respond(store, ["runs", summary.id, "entries"], new URLSearchParams({ from: `${from}` })));
    for (let index = 0; index < entries.length; index += 17)
      all.push(withoutBreaks(await read(store, summary.id, "entries", `${index}`)));
    all.push(await respond(store, ["runs", summary.id, "search"], new URLSearchParams({ q: "result 77 ä" })));
    all.push(await read(store, summary.id, "test"));
  }
  return all;
}

const call = (turn: number) => ({ type: "toolCall" as const, id: `${turn}`, name: "look", arguments: { turn } });
const text = (words: string) => [{ type: "text" as const, text: words }];
const lineOf = (value: object | string): string => `${typeof value === "string" ? value : JSON.stringify(value)}\n`;

function turnOf(turn: number): object[] {
  const timestamp = turn * 1000;
  const usage = { input: 1, output: 1, cacheRead: 1, cacheWrite: 0, cost: { total: 1 } };
  return [
    { role: "assistant", model: "m", content: [call(turn)], usage, stopReason: "toolUse", timestamp },
    {
      role: "toolResult",
      toolCallId: `${turn}`,
      toolName: "look",
      content: text(`Result ${turn} ä`),
      timestamp: timestamp + 5,
    },
  ];
}

/**
 * A log with everything that a log can hold: a damaged line, a note, a reset, runs without an end and messages outside.
 */
function linesOf(turns: number): (object | string)[] {
  const lines: (object | string)[] = [
    { type: "session", version: 1, at: 0 },
    { type: "run_start", at: 0 },
  ];
  for (let turn = 1; turn <= turns; turn++) {
    for (const message of turnOf(turn)) lines.push({ type: "message", message });
    if (turn % 97 === 0) lines.push('{"type":"mess', { type: "note", text: "Retried" });
    if (turn === turns / 2) lines.push({ type: "run_start", at: turn * 1000 + 500 });
    if (turn === turns - 300) lines.push({ type: "run_end", at: turn * 1000 + 900 }, { type: "reset", at: 1 });
  }
  return lines;
}

/** Exchanges one after another, then ones that overlap, some without an end, and lines that belong to none. */
function cassetteLines(exchanges: number): (object | string)[] {
  const lines: (object | string)[] = [];
  const waiting: object[][] = [];
  for (let exchange = 0; exchange < exchanges; exchange++) {
    const body = { model: "m", messages: [{ role: "user", content: `Result ${exchange} ä` }] };
    lines.push({ type: "request", exchange, method: "POST", url: `https://a.test/${exchange}`, headers: {}, body });
    const rest = [
      { type: "response", exchange, at: 1, status: exchange % 50 === 7 ? 500 : 200, headers: {} },
      { type: "chunk", exchange, at: 2, text: `data: result ${exchange} ä\n\n` },
      { type: "chunk", exchange, at: 3, text: "x".repeat(exchange % 31 === 0 ? 5000 : 10) },
      ...(exchange % 45 === 0 ? [] : [{ type: "end", exchange, at: 4 }]),
    ];
    if (exchange % 97 === 0) lines.push('{"type":"chunk', { type: "chunk", exchange: "none", text: "?" });
    waiting.push(rest);
    if (exchange < exchanges / 2 || exchange % 7 === 0) lines.push(...waiting.splice(0).flat());
  }
  // The numbers of another recording in the same file.
  lines.push(...waiting.flat(), { type: "chunk", exchange: 1, text: "late" }, ...cassetteLinesOf(2));
  return lines;
}

const cassetteLinesOf = (exchange: number): object[] => [
  { type: "request", exchange, method: "POST", url: "https://b.test/", headers: {}, body: "text" },
  { type: "response", exchange, at: 1, status: 200, headers: {} },
  { type: "end", exchange, at: 2 },
];

/** Two runs of a durable agent, which three processes did, with a damaged line and an approval. */
function stepLines(turns: number): (object | string)[] {
  const lines: (object | string)[] = [{ type: "steps", version: 1, runId: "order-17" }];
  let step = 0;
  const add = (name: string, value: unknown): void => {
    const by = `process ${Math.floor((3 * step) / (4 * turns))}`;
    lines.push({ name: `step ${++step}`, value: { step: name, by, at: step * 100, value } });
  };
  const none = { returned: { taken: [], received: [] } };
  add("prompts", [{ role: "user", content: "One", timestamp: 1 }]);
  for (let turn = 1; turn <= turns; turn++) {
    const [message, result] = turnOf(turn);
    add("response", { message, isRepeated: turn === 100 });
    const asked = turn % 60 === 0 ? { name: `approval:${step + 1}.1`, toolCallId: `${turn}` } : null;
    add("approvals/needed", { returned: { value: [asked] } });
    if (asked) lines.push({ name: `approval:${step}.1`, value: { approved: true } });
    add(`begin 1:${turn}`, null);
    add(`tool look 1:${turn}`, { outcome: { result, isError: false, durationMs: 50 }, isUnknown: turn === 200 });
    if (turn % 97 === 0) lines.push('{"name":"st');
    if (turn % 50 === 0) add("steering", { returned: { taken: [], received: [{ role: "user", content: "Go on" }] } });
    if (turn !== turns / 2) continue;
    add("response", { message: { role: "assistant", model: "m", content: text("Done"), stopReason: "stop" } });
    add("follow-up", none);
    add("prompts", [{ role: "user", content: "Two", timestamp: 2 }]);
  }
  return lines;
}

async function writeLines(lines: readonly (object | string)[]): Promise<string> {
  await writeFile(join(folder, "long.jsonl"), lines.map(lineOf).join(""));
  return join(folder, "long.jsonl");
}

describe.each<[string, () => Promise<string>]>([
  ["a cassette", () => writeLines(cassetteLines(2 * TURNS))],
  ["the file of a durable run", () => writeLines(stepLines(TURNS))],
  ["a session log", () => writeLines(linesOf(TURNS))],
  [
    "a folder",
    async () => {
      for (const name of ["a", "b"])
        await writeFile(
          join(folder, `${name}.jsonl`),
          linesOf(TURNS / 2)
            .map(lineOf)
            .join(""),
        );
      return folder;
    },
  ],
  [
    "an SQLite file",
    async () => {
      const sessions = sqliteSessions(join(folder, "chats.db"));
      for (const name of ["a", "b"]) {
        // Stored like the messages of any application.
        const messages = Array.from({ length: TURNS / 2 }, (_, turn) => turnOf(turn)).flat() as AgentMessage[];
        await sessions.append(name, messages);
      }
      await sessions.close();
      return join(folder, "chats.db");
    },
  ],
])("%s that is longer than what is kept", (_, write) => {
  it("shows the same as one that is kept as a whole, with a bounded number of entries", async () => {
    const place = await write();
    const [{ store: whole }, { store: bounded }] = [
      await open(place, Number.POSITIVE_INFINITY),
      await open(place, LIMIT),
    ];
    const kept = (store: RunStore): number => store.runs.reduce((sum, run) => sum + run.kept, 0);
    expect(kept(whole)).toBeGreaterThan(LIMIT * 4);
    expect(kept(bounded)).toBeLessThanOrEqual(LIMIT);
    expect(await everything(bounded)).toEqual(await everything(whole));
    expect(kept(bounded)).toBeLessThanOrEqual(LIMIT);
    // The messages of dropped entries are dropped, too.
    const messages = new Set(bounded.runs.flatMap((run) => run.origin?.messages ?? []));
    expect(messages.size).toBeLessThanOrEqual(LIMIT * 2);
  });
});

it("forks and compares runs whose beginning was dropped", async () => {
  const path = join(folder, "long.jsonl");
  await writeFile(path, linesOf(TURNS).map(lineOf).join(""));
  const { store: whole } = await open(path, Number.POSITIVE_INFINITY);
  const { store } = await open(path, LIMIT);
  for (const run of [...whole.runs, ...store.runs])
    run.launcher = {
      target: "to a test",
      models: [],
      anyModel: true,
      send: async () => ({ role: "assistant", content: text("Done"), stopReason: "stop" }),
      canRun: () => false,
      runTool: async () => ({}),
    };
  expect(await read(store, "1", "fork", "20")).toEqual(await read(whole, "1", "fork", "20"));
  expect(await respond(store, ["compare", "1", "2"], NONE)).toEqual(await respond(whole, ["compare", "1", "2"], NONE));
  const forks = new Forks(store);
  const [parent] = whole.runs;
  const draft = (await read(store, "1", "fork", "20")) as {
    model: object;
    thinking: string;
    system: string;
    tools: string;
  };
  if (parent) expect(forks.start(parent, 20, { ...draft, model: { provider: "p", id: "m" } }).entries.length).toBe(20);
  forks.close();
});

it("follows a long log that grows, and shows when its file is gone", async () => {
  const path = join(folder, "long.jsonl");
  await writeFile(path, linesOf(TURNS).map(lineOf).join(""));
  const { store, source } = await open(path, LIMIT);
  await appendFile(
    path,
    turnOf(5000)
      .map((message) => lineOf({ type: "message", message }))
      .join(""),
  );
  await source.check();
  const last = store.runs.at(-1);
  expect(last?.entries.at(-2)).toMatchObject({ kind: "request", title: "[toolCall look]" });
  await rm(path);
  const page = (await read(store, "1", "entries")) as { entries: { title: string }[] };
  expect(page.entries[0]?.title).toBe("Cannot be read now");
  await expect(read(store, "1", "entries", "0")).rejects.toThrow("ENOENT");
});
