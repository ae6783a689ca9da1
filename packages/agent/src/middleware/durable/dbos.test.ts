import { type DbosSdk, dbosSteps, lockExecutor } from "pi-agent/durable/dbos";
import { expect, test } from "vitest";

function fakeDbos(more: Partial<DbosSdk> = {}): DbosSdk {
  return {
    workflowID: "order-17",
    executorID: "worker-1",
    runStep: (work) => work(),
    recv: async () => null,
    ...more,
  };
}

test("stores a step as a string, which every serializer accepts", async () => {
  const stored: unknown[] = [];
  const dbos = fakeDbos({
    runStep: async (work, { name }) => {
      const value = await work();
      stored.push([name, value]);
      return value;
    },
  });
  const value = JSON.parse('{"constructor":{"__proto__":1}}');
  expect(await dbosSteps(dbos).run("step 1", async () => value)).toEqual(value);
  expect(stored).toEqual([["step 1", '{"constructor":{"__proto__":1}}']]);
});

test("keeps waiting after a timeout", async () => {
  const answers = [null, null, { approved: true }];
  const topics: string[] = [];
  const dbos = fakeDbos({
    recv: async <TValue>(topic: string) => {
      topics.push(topic);
      return answers.shift() as TValue;
    },
  });
  expect(await dbosSteps(dbos).waitFor?.("approval:4.1")).toEqual({ approved: true });
  expect(topics).toEqual(["approval:4.1", "approval:4.1", "approval:4.1"]);
});

test("rejects the default executor id, and a call outside of a workflow", () => {
  expect(() => dbosSteps(fakeDbos({ executorID: "local" }))).toThrow('The executor id is "local"');
  expect(() => dbosSteps(fakeDbos({ workflowID: undefined }))).toThrow("dbosSteps must be called in a DBOS workflow");
});

test("locks an executor id for one process", async () => {
  const held = new Set<unknown>();
  const client = {
    query: async (_text: string, [, id]: unknown[]) => {
      const locked = !held.has(id);
      held.add(id);
      return { rows: [{ locked }] };
    },
  };
  await lockExecutor(client, "worker-1");
  await expect(lockExecutor(client, "worker-1")).rejects.toThrow("Another process has the executor id worker-1");
  await lockExecutor(client, "worker-2");
  await expect(lockExecutor({ query: async () => ({ rows: [] }) }, "worker-3")).rejects.toThrow("worker-3");
});
