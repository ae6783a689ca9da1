/** Runs that are published, pause, and go on with the answers that a page sends to a route: as in `docs/streams.md`. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, AnswerError, defineTool, type PauseRequest } from "pi-agent";
import { approvals, pendingRequests } from "pi-agent/approvals";
import { createMemoryEventStore, publish, type RunEvent, runsOf } from "pi-agent/event-store";
import { jsonlSessions, type SessionStore } from "pi-agent/session";
import { createRunResponse } from "pi-agent/sse";
import { applyRunEvent, type RunView, readRun } from "pi-agent/sse/client";
import { type AssistantMessage, Type } from "pi-ai";
import type { EventStore } from "pi-ai/proxy-server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { call, MODEL, response, scripted, text } from "../scripted-stream.js";

let folder: string;
let sessions: SessionStore;
let store: EventStore<RunEvent> & { close(): unknown };
let ran: string[];
let runs: Promise<unknown>[];
let responses: AssistantMessage[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "paused-runs-"));
  sessions = jsonlSessions(folder);
  store = createMemoryEventStore<RunEvent>();
  ran = [];
  runs = [];
  responses = [response([call("1", "pay", { euros: 5 }), call("2", "ask")]), text("Done.")];
});
afterEach(async () => {
  await Promise.all(runs);
  await store.close();
  await sessions.close();
  await rm(folder, { recursive: true });
});

const tools = [
  defineTool({
    name: "pay",
    description: "Pays",
    parameters: Type.Object({ euros: Type.Number() }),
    execute: async (id, { euros }) => {
      ran.push(`pay ${id} ${euros}`);
      return "Paid";
    },
  }),
  defineTool({
    name: "ask",
    description: "Asks",
    parameters: Type.Object({}),
    execute: async (_id, _args, _signal, _onUpdate, context) => {
      const answer = await context?.ask?.({ message: "Which size?", schema: Type.Object({ size: Type.Number() }) });
      ran.push(`ask ${answer?.size}`);
      return "Asked";
    },
  }),
];

/** A run of a process that knows nothing but the session. */
async function begin(user: string, chat: string, work: (agent: Agent) => Promise<unknown>): Promise<Response> {
  const log = await sessions.open(chat);
  const { messages } = log;
  const runId = `run-${runs.length}`;
  const agent = new Agent({
    sessionId: chat,
    initialState: { model: MODEL, tools, messages },
    middleware: [
      log,
      approvals({ when: ({ tool }) => tool.name === "pay", pause: true, secret: "s".repeat(32), claim: () => true }),
      publish(runsOf(store, user), runId),
    ],
    streamFn: scripted(...responses.slice(messages.some(({ role }) => role === "assistant") ? 1 : 0)).streamFn,
  });
  try {
    const started = await work(agent);
    if (started === false) {
      await log.close();
      return new Response(null, { status: 204 });
    }
  } catch (error) {
    await log.close();
    if (!(error instanceof AnswerError)) throw error;
    return Response.json({ kind: error.kind, id: error.id }, { status: 409 });
  }
  const run = messages.length === 0 ? agent.prompt("Go.") : agent.continue();
  runs.push(run.finally(() => log.close()));
  return Response.json({ runId });
}

const prompt = (user: string, chat: string): Promise<Response> => begin(user, chat, async () => true);

/** `POST /chats/:chat/answers` */
function answer(user: string, chat: string, request: Request): Promise<Response> {
  // Not for the same answers once more: their run is under way, or over.
  return begin(user, chat, async (agent) => agent.answer(await request.json()));
}

/** What a page does: reads the run, and learns of the requests at its end. */
async function read(user: string, started: Response, view: RunView): Promise<[RunView, readonly PauseRequest[]]> {
  const { runId } = await started.json();
  const fetch = async (_url: unknown, init?: RequestInit) =>
    createRunResponse(runsOf(store, user), runId, { request: new Request("https://a.test", init) });
  let shown = view;
  let requests: readonly PauseRequest[] = [];
  for await (const [, event] of readRun("https://a.test", { fetch })) {
    shown = applyRunEvent(shown, event);
    if (event.type === "agent_end") requests = event.pause?.requests ?? [];
  }
  await Promise.all(runs);
  return [shown, requests];
}

const post = (answers: unknown) => new Request("https://a.test", { method: "POST", body: JSON.stringify(answers) });

test("a page sees the requests of a pause, and answers them to another process", async () => {
  const [view, requests] = await read("ann", await prompt("ann", "chat"), { messages: [] });
  expect(requests.map(({ id, kind, message }) => [id, kind, message])).toEqual([
    ["1", "approval", undefined],
    ["2?0.0", "question", "Which size?"],
  ]);
  for (const { signature } of requests) expect(signature).toMatch(/^[\w-]+\.[\w-]+$/);
  // A page that is loaded again has the messages only.
  expect(pendingRequests(view.messages)).toEqual(requests);
  expect(pendingRequests(JSON.parse(JSON.stringify(view.messages)))).toEqual(requests);

  const [half, rest] = await read("ann", await answer("ann", "chat", post([{ id: "1", approved: true }])), view);
  expect(ran).toEqual(["pay 1 5"]);
  expect(rest.map(({ id }) => id)).toEqual(["2?0.0"]);
  const value = { size: 42 };
  const last = await answer("ann", "chat", post([{ id: "2?0.0", approved: true, value }]));
  const [end, none] = await read("ann", last, half);
  expect(ran).toEqual(["pay 1 5", "ask 42"]);
  expect(none).toEqual([]);
  expect(pendingRequests(end.messages)).toEqual([]);
  // As in the conversation, the result of a call has taken the place of its record.
  expect(end.messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "toolResult", "assistant"]);
  expect(end.messages.at(-1)).toMatchObject({ role: "assistant", stopReason: "stop" });
});

test("an answer that a page sends twice counts once, and others are refused with their kind", async () => {
  await read("ann", await prompt("ann", "chat"), { messages: [] });
  for (const [answers, body] of [
    [[{ id: "9", approved: true }], { kind: "unknown", id: "9" }],
    [[{ id: "1", approved: true, arguments: 5 }], { kind: "invalid", id: "1" }],
    [
      { id: "1", approved: true },
      { kind: "invalid", id: "" },
    ],
    [null, { kind: "invalid", id: "" }],
  ]) {
    const refused = await answer("ann", "chat", post(answers));
    expect(refused.status).toBe(409);
    expect(await refused.json()).toEqual(body);
  }
  const approved = [{ id: "1", approved: true }];
  expect((await answer("ann", "chat", post(approved))).status).toBe(200);
  await Promise.all(runs);
  expect((await answer("ann", "chat", post(approved))).status).toBe(204);
  expect((await answer("ann", "chat", post([{ id: "1", approved: false }]))).status).toBe(409);
  expect(ran).toEqual(["pay 1 5"]);
});

test("a page that asks while the run of another one goes on is told so", async () => {
  await read("ann", await prompt("ann", "chat"), { messages: [] });
  const both = [post([{ id: "1", approved: true }]), post([{ id: "1", approved: true }])].map((request) =>
    answer("ann", "chat", request),
  );
  const settled = await Promise.allSettled(both);
  const refused = settled.filter(({ status }) => status === "rejected");
  // Either the session was in use, or the run of the first answer was over.
  expect(settled.length - refused.length).toBeGreaterThan(0);
  await Promise.all(runs);
  expect(ran).toEqual(["pay 1 5"]);
});

test("a request that was changed where it is stored, or is another chat's, is refused", async () => {
  await read("ann", await prompt("ann", "chat"), { messages: [] });
  const { messages = [] } = (await sessions.load("chat")) ?? {};
  await sessions.append("other", messages);
  const edited = JSON.parse(JSON.stringify(messages).replaceAll('"euros":5', '"euros":5000'));
  await sessions.append("edited", edited);
  for (const chat of ["other", "edited"]) {
    const refused = await answer("ann", chat, post([{ id: "1", approved: true }]));
    expect([refused.status, await refused.json()]).toEqual([409, { kind: "forged", id: "1" }]);
  }
  expect(ran).toEqual([]);
});

test("only the user of a run sees its requests", async () => {
  const started = await prompt("ann", "chat");
  await expect(read("bob", started, { messages: [] })).rejects.toThrow("The events of the run are gone");
});
