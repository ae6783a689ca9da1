import { request } from "node:http";
import { Agent } from "pi-agent";
import { afterEach, beforeEach, expect, it } from "vitest";
import { eventually } from "../../../../test/support/patience.js";
import { calls, MODEL, scripted, text } from "../../../agent/test/scripted-stream.js";
import { watchAgent } from "../../test/support/watch-agent.internal.js";
import { RunStore } from "../record/run-store.js";
import type { Comparison } from "./compare-runs.js";
import { type InspectServer, startServer } from "./start-server.js";

let store: RunStore;
let server: InspectServer;
let stop: () => void;

beforeEach(async () => {
  store = new RunStore();
  server = await startServer({ store, assets: new Map() });
  const { streamFn } = scripted(text("Hello"), calls("x"), text("Bye"));
  const agent = new Agent({ initialState: { model: MODEL }, streamFn });
  stop = watchAgent(agent, store);
  await agent.prompt("Hi");
});
afterEach(async () => {
  stop();
  await server.close();
});

const OWN = (): Record<string, string> => ({
  origin: new URL(server.url).origin,
  "content-type": "application/json",
});

async function post(path: string, body: unknown, headers = OWN()): Promise<{ status: number; body: unknown }> {
  const sent = typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(new URL(path, server.url), { method: "POST", headers, body: sent });
  return { status: response.status, body: await response.json() };
}

const load = async (path: string): Promise<Record<string, unknown>> =>
  (await fetch(new URL(path, server.url))).json() as Promise<Record<string, unknown>>;

it("forks a run, accepts the result of a tool, and compares the fork with the original", async () => {
  const [original] = store.runs;
  const id = original?.summary.id;
  const draft = await load(`api/runs/${id}/fork/1`);
  expect(draft).toMatchObject({ entry: 1, inputs: [{ role: "user", text: "Hi" }], model: { id: MODEL.id } });
  const forked = await post(`api/runs/${id}/fork`, draft);
  expect(forked).toEqual({ status: 200, body: { run: "fork-1" } });
  const fork = store.get("fork-1");
  await eventually(() => expect(fork?.summary.waiting).toBe(1));
  const result = { call: "1", text: "typed", isError: false };
  expect(await post("api/runs/fork-1/result", { call: "1", run: true })).toMatchObject({ status: 400 });
  expect(await post("api/runs/fork-1/result", { call: "1", text: 5 })).toMatchObject({ status: 400 });
  expect(await post("api/runs/fork-1/result", result)).toEqual({ status: 200, body: {} });
  await eventually(() => expect(fork?.summary.outcome).toBe("done"));
  expect(await post("api/runs/fork-1/abort", {})).toMatchObject({ status: 400 });
  // The response has this type if the expectations below hold.
  const comparison = (await load(`api/compare/${id}/fork-1`)) as unknown as Comparison;
  expect(comparison).toMatchObject({
    same: 1,
    more: 0,
    rows: [
      { turn: 1, left: { parts: [{ text: "Hello" }] }, right: { entry: { title: "[toolCall x]" } } },
      { turn: 1, right: { parts: [{ title: "Arguments" }, { title: "Text", text: "typed" }] } },
      { turn: 2, right: { parts: [{ text: "Bye" }] } },
    ],
    sums: { left: { requests: 1, tools: 0 }, right: { requests: 2, tools: 1, usage: { input: 14, output: 6 } } },
  });
  expect((await fetch(new URL("api/compare/1/nothing", server.url))).status).toBe(404);
});

it("refuses commands that do not come from the page", async () => {
  const path = `api/runs/${store.runs[0]?.summary.id}/fork`;
  const body = await load(`${path}/1`);
  const { origin: _, ...withoutOrigin } = OWN();
  const refused: [Record<string, string>, number][] = [
    [withoutOrigin, 403],
    [{ ...OWN(), origin: "https://evil.test" }, 403],
    [{ ...OWN(), origin: "null" }, 403],
    [{ ...OWN(), "sec-fetch-site": "same-site" }, 403],
    [{ ...OWN(), "content-type": "text/plain" }, 415],
  ];
  for (const [headers, status] of refused) expect((await post(path, body, headers)).status).toBe(status);
  const { origin } = new URL(server.url);
  const withoutToken = await fetch(`${origin}/${path}`, { method: "POST", headers: OWN(), body: "{}" });
  expect(withoutToken.status).toBe(404);
  expect(store.runs).toHaveLength(1);
});

it("refuses hostile bodies and unknown paths", async () => {
  const id = store.runs[0]?.summary.id;
  const bodies = [
    "",
    "{",
    "[]",
    "null",
    '{"entry":-1}',
    '{"entry":1e300}',
    '{"__proto__":{"entry":1}}',
    '{"entry":[1]}',
  ];
  for (const body of bodies) expect((await post(`api/runs/${id}/fork`, body)).status).toBe(400);
  for (const path of [
    "api/runs/nothing/fork",
    `api/runs/${id}/nothing`,
    "api/x",
    `api/runs/${id}/result`,
    "api/%E0%A4%A",
  ])
    expect((await post(path, {})).status).toBeGreaterThanOrEqual(400);
  expect(store.runs).toHaveLength(1);
});

it("refuses a body that is too large before its end", async () => {
  const { port, pathname } = new URL(server.url);
  const status = await new Promise((resolve, reject) => {
    const path = `${pathname}api/runs/1/fork`;
    const sending = request({ host: "127.0.0.1", port, path, method: "POST", headers: OWN() }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sending.on("error", reject);
    sending.write("x".repeat(4_000_001));
  });
  expect(status).toBe(413);
});
