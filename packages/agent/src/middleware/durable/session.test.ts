import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent } from "pi-agent";
import { durable } from "pi-agent/durable";
import { answerApproval, sessionSteps } from "pi-agent/durable/session";
import { limits } from "pi-agent/limits";
import { createScriptedStreamFn } from "pi-ai/testing";
import { afterEach, beforeEach, expect, test } from "vitest";

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "steps-"));
  file = join(folder, "run.jsonl");
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const never = () => Promise.reject(new Error("it was remembered"));

test("stores the result of a step, and the id of the run", async () => {
  const first = await sessionSteps(file);
  expect(await first.run("step 1", async () => ({ a: "é" }))).toEqual({ a: "é" });
  expect(await first.run("step 2", async () => undefined)).toBeUndefined();
  await first.close();
  const second = await sessionSteps(file);
  expect(second.runId).toBe(first.runId);
  expect(await second.run("step 1", never)).toEqual({ a: "é" });
  expect(await second.run("step 2", never)).toBeUndefined();
  await second.close();
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test("forgets a step whose line was cut off, and continues after it", async () => {
  const first = await sessionSteps(file, { fsync: true });
  await first.run("step 1", async () => 1);
  await first.close();
  await appendFile(file, Buffer.from('{"name":"step 2","value":"é').subarray(0, -1));
  const second = await sessionSteps(file);
  expect(await second.run("step 2", async () => 2)).toBe(2);
  await second.close();
  const third = await sessionSteps(file);
  expect(await third.run("step 1", never)).toBe(1);
  expect(await third.run("step 2", never)).toBe(2);
  await third.close();
});

test.each([
  [
    "a damaged line",
    '{"type":"steps","version":1,"runId":"a"}\n{"name":\n{"name":"step 2"}\n',
    "Line 2 is not a step of a run",
  ],
  ["another file", '{"type":"session","version":1,"at":1}\n', "Line 1 is not a step of a run"],
  ["a file without a header", '{"name":"step 1","value":1}\n', "has no header"],
  ["bytes that are not text", Buffer.from([0x22, 0xff, 0x0a]), "not valid UTF-8"],
])("rejects %s, and does not change it", async (_what, content, message) => {
  await writeFile(file, content);
  await expect(sessionSteps(file)).rejects.toThrow(message);
  expect(await readFile(file)).toEqual(Buffer.from(content));
});

test("rejects another run, and a second process", async () => {
  const first = await sessionSteps(file, { runId: "a" });
  await expect(sessionSteps(file)).rejects.toThrow("is in use by process");
  await first.close();
  await expect(sessionSteps(file, { runId: "b" })).rejects.toThrow(
    "The file holds the steps of the run a, not those of b",
  );
});

test("waits for an answer of another process, and stores it", async () => {
  const first = await sessionSteps(file);
  const early = first.waitFor?.("approval:4.1");
  const other = first.waitFor?.("approval:4.2");
  await answerApproval(file, "approval:4.2", { approved: false, reason: "no" });
  await answerApproval(file, "approval:4.1", { approved: true });
  expect(await early).toEqual({ approved: true });
  expect(await other).toEqual({ approved: false, reason: "no" });
  await first.close();
  await rm(`${file}.answers`);
  const second = await sessionSteps(file);
  expect(await second.waitFor?.("approval:4.1")).toEqual({ approved: true });
  await second.close();
});

test("closing ends the wait for an answer, and a run that waits continues with new steps", async () => {
  const steps = await sessionSteps(file);
  const waiting = expect(steps.waitFor?.("approval:4.1")).rejects.toThrow("The steps were closed");
  await steps.close();
  await waiting;
  await answerApproval(file, "approval:4.1", { approved: true });
  const second = await sessionSteps(file);
  expect(await second.waitFor?.("approval:4.1")).toEqual({ approved: true });
  await second.close();
});

test.each([
  ["is cut off", '{"name":"approval:4.1","value":{"appro'],
  ["is cut off in a character", Buffer.from('{"name":"é').subarray(0, -1)],
  ["is no answer", "nonsense\n5\nnull\n{}\n"],
])("skips a line that %s, and takes the next answer", async (_what, torn) => {
  const steps = await sessionSteps(file);
  await writeFile(`${file}.answers`, torn);
  const waiting = steps.waitFor?.("approval:4.1");
  await answerApproval(file, "approval:4.1", { approved: true });
  expect(await waiting).toEqual({ approved: true });
  await steps.close();
});

test("stops waiting when it is aborted", async () => {
  const steps = await sessionSteps(file);
  const controller = new AbortController();
  const waiting = steps.waitFor?.("approval:4.1", controller.signal);
  controller.abort(new Error("given up"));
  await expect(waiting).rejects.toThrow("given up");
  await expect(steps.waitFor?.("approval:4.1", AbortSignal.abort(new Error("before")))).rejects.toThrow("before");
  await steps.close();
});

test("a run that a limit ended goes on with a higher one, without its last message", async () => {
  const start = async (turns: number, script: string[]): Promise<{ roles: string[]; sent: number }> => {
    const engine = await sessionSteps(file);
    const streamFn = createScriptedStreamFn(script);
    const agent = new Agent({ steps: durable(engine), streamFn, middleware: [limits({ budget: { turns } })] });
    await agent.prompt("Hi");
    if (agent.state.stopped && turns > 0) {
      agent.state.messages = agent.state.messages.slice(0, -1);
      await agent.continue();
    }
    await engine.close();
    const failed = agent.state.errorMessage ? ["failed"] : [];
    return { roles: [...agent.state.messages.map(({ role }) => role), ...failed], sent: streamFn.calls.length };
  };
  expect(await start(0, [])).toEqual({ roles: ["user", "assistant", "failed"], sent: 0 });
  expect(await start(2, ["Hello"])).toEqual({ roles: ["user", "assistant"], sent: 1 });
  expect(await start(2, [])).toEqual({ roles: ["user", "assistant"], sent: 0 });
});
