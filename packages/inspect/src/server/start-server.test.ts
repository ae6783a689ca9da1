import { request, Server } from "node:http";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { Run } from "../record/run.js";
import { RunStore } from "../record/run-store.js";
import { type InspectServer, POLICY, startServer } from "./start-server.js";

let server: InspectServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function start(): Promise<RunStore> {
  const store = new RunStore();
  const assets = new Map([["", { type: "text/html", body: "page" }]]);
  server = await startServer({ store, assets });
  return store;
}

const get = (path: string): Promise<Response> => fetch(new URL(path, server?.url));

function createRun(id: string): Run {
  const run = new Run({ id, title: "", source: "live", model: "m" });
  run.add({ kind: "message", name: "user", title: "Hello", outcome: "done", turn: 0 }, () => [
    { kind: "text", title: "Text", text: `Hello ${"x".repeat(300_000)}` },
  ]);
  return run;
}

it("serves the page, the runs and the details behind the token only", async () => {
  (await start()).add(createRun("a"));
  const page = await get(".");
  expect([page.status, await page.text(), page.headers.get("content-security-policy")]).toEqual([200, "page", POLICY]);
  expect(await (await get("api/runs")).json()).toMatchObject([{ id: "a", title: "Hello", entries: 1 }]);
  expect(await (await get("api/runs/a/entries?from=0")).json()).toMatchObject({
    from: 0,
    entries: [{ title: "Hello" }],
  });
  const { sections } = (await (await get("api/runs/a/entries/0")).json()) as { sections: { text: string }[] };
  expect(sections[0]?.text).toMatch(/^Hello x+\n… 100006 more characters$/);
  expect(await (await get("api/runs/a/search?q=HELLO")).json()).toEqual({ hits: [0], more: false });
  for (const path of [
    "/",
    "/wrong/",
    "/wrong/api/runs",
    "nothing",
    "api/runs/b/entries",
    "api/runs/a/entries/9",
    "api/%E0%A4%A",
  ])
    expect((await get(path)).status).toBeGreaterThanOrEqual(400);
});

it("refuses requests for the name of another host, and other methods", async () => {
  await start();
  const { port, pathname } = new URL(server?.url ?? "");
  const status = await new Promise((resolve) => {
    request({ port, path: pathname, headers: { host: "evil.test" } }, ({ statusCode }) => resolve(statusCode)).end();
  });
  expect(status).toBe(404);
  expect((await fetch(server?.url ?? "", { method: "POST" })).status).toBe(405);
});

it("listens on 127.0.0.1 alone", async () => {
  await start();
  const other = new URL(server?.url ?? "");
  // Another address of this machine, which some systems do not have.
  other.hostname = "127.0.0.2";
  await expect(fetch(other)).rejects.toThrow("fetch failed");
});

it("sends several changes of a run as one event", async () => {
  const store = await start();
  const reader = (await get("api/changes")).body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toBe("event: ready\ndata: {}\n\n");
  const run = createRun("a");
  store.add(run);
  run.update(0, { title: "Changed" });
  run.finish("done");
  const text = (await reader?.read())?.value ?? "";
  expect(text.match(/^data:/gm)).toHaveLength(1);
  expect(JSON.parse(text.slice(6))).toMatchObject({
    run: { id: "a", outcome: "done" },
    entries: [[0, { title: "Changed" }]],
  });
  await reader?.cancel();
});

it("has closed all connections when close resolves, and can be closed twice", async () => {
  await start();
  const reader = (await get("api/changes")).body?.getReader();
  await reader?.read();
  const emit = vi.spyOn(Server.prototype, "emit");
  onTestFinished(() => emit.mockRestore());
  await server?.close();
  expect(emit).toHaveBeenCalledWith("close");
  await server?.close();
  // The connection was destroyed, or ended before that.
  await reader?.read().catch(() => {});
});

it("drops the oldest finished runs beyond the limit, and keeps those that are still running", () => {
  const store = new RunStore({ runs: 2 });
  const [open, ...finished] = ["a", "b", "c", "d"].map(createRun);
  for (const run of finished) run.finish("done");
  for (const run of [open, ...finished]) if (run) store.add(run);
  expect(store.runs.map(({ summary }) => summary.id)).toEqual(["a", "d"]);
});

it.each(["api/%", "api/runs/%zz/entries", "%"])("answers 400 to the path %s", async (path) => {
  await start();
  for (const method of ["GET", "POST"]) {
    const response = await fetch(`${server?.url}${path}`, { method });
    expect(response.status).toBe(400);
  }
});
