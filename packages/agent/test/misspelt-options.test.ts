/** An option that does not exist is refused where it is written: it would be ignored without a word. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent } from "pi-agent";
import { agUiResponse, publishAgUi, toAgUiStream } from "pi-agent/ag-ui";
import { durable } from "pi-agent/durable";
import { createMemoryEventStore, publish } from "pi-agent/event-store";
import { createRedisClaim } from "pi-agent/event-store/redis";
import { mcpElicitation } from "pi-agent/mcp";
import { createSessionLog, jsonlSessions, loadSession } from "pi-agent/session";
import { postgresSessions } from "pi-agent/session/postgres";
import { sqliteSessions } from "pi-agent/session/sqlite";
import { createRunResponse } from "pi-agent/sse";
import { publishUIMessages, toUIMessageStream, uiMessageResponse } from "pi-agent/ui-stream";
import { isKnownRun } from "pi-ai/call";
import { expect, test } from "vitest";
import { MODEL } from "./scripted-stream.js";

const agent = (): Agent => new Agent({ initialState: { model: MODEL } });
const ids = { threadId: "t", runId: "r" };
const store = createMemoryEventStore<never>();
const file = join(tmpdir(), "pi-agent-no-session.jsonl");
const never = undefined as never; // The options are looked at first.

/** Calls a function with options as plain JavaScript may write them. */
type Call = (options: never) => unknown;

test.each<[name: string, wrong: object, right: string, call: Call]>([
  ["uiMessageResponse", { messageID: "m" }, "messageId", (options) => uiMessageResponse(agent(), options)],
  ["uiMessageResponse", { keepAliveMS: 5 }, "keepAliveMs", (options) => uiMessageResponse(agent(), options)],
  ["toUIMessageStream", { errorTxt: () => "" }, "errorText", (options) => toUIMessageStream(agent(), options)],
  [
    "publishUIMessages",
    { addChunk: () => [] },
    "addChunks",
    (options) => publishUIMessages(agent(), store, "1", options),
  ],
  ["agUiResponse", { ...ids, requst: 1 }, "request", (options) => agUiResponse(agent(), options)],
  ["toAgUiStream", { ...ids, stat: () => 1 }, "state", (options) => toAgUiStream(agent(), options)],
  ["publishAgUi", { ...ids, addEvent: () => [] }, "addEvents", (options) => publishAgUi(agent(), store, "2", options)],
  ["createRunResponse", { startMS: 1 }, "startMs", (options) => createRunResponse(store, "r", options)],
  ["publish", { snapshotEver: 5 }, "snapshotEvery", (options) => publish(store, "r", options)],
  ["createRedisClaim", { prefx: "a" }, "prefix", (options) => createRedisClaim(never, options)],
  ["postgresSessions", { tabelPrefix: "a" }, "tablePrefix", (options) => postgresSessions(never, options)],
  ["sqliteSessions", { busyTimeout: 5 }, "busyTimeoutMs", (options) => sqliteSessions(":memory:", options)],
  ["jsonlSessions", { fsnc: true }, "fsync", (options) => jsonlSessions(tmpdir(), options)],
  ["sessions.open", { takeover: true }, "takeOver", (options) => jsonlSessions(tmpdir()).open("a", options)],
  ["createSessionLog", { stric: true }, "strict", (options) => createSessionLog(file, options)],
  ["loadSession", { stric: true }, "strict", (options) => loadSession(file, options)],
  ["durable", { detectChange: false }, "detectChanges", (options) => durable({ run: () => {} } as never, options)],
  ["mcpElicitation", { servr: "a" }, "server", (options) => mcpElicitation(never, options)],
])("%s refuses %j, and names %s", async (_name, wrong, right, call) => {
  const run = async (): Promise<unknown> => call(wrong as never); // As plain JavaScript may write it.
  await expect(run).rejects.toThrow(`Unknown option "${Object.keys(wrong).at(-1)}": did you mean "${right}"?`);
});

test("publish registers no run for an option that does not exist", async () => {
  expect(() => publish(store, "none", { snapshotEver: 5 } as never)).toThrow("snapshotEvery");
  expect(await isKnownRun(store, "none")).toBe(false);
});

test("an option of another type says what it must be", () => {
  const wrong = { keepAliveMs: "5s" } as never; // As above.
  expect(() => createRunResponse(store, "r", wrong)).toThrow("keepAliveMs");
  expect(() => uiMessageResponse(agent(), { sdk: 4 } as never)).toThrow("sdk must be one of 5, 6, 7, not 4");
});
