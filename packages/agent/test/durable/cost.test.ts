/** The cost of a durable run without its engine. */
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { Agent } from "pi-agent";
import { durable } from "pi-agent/durable";
import { Type } from "pi-ai";
import { expect, test } from "vitest";
import { processorTime } from "../../../../test/support/patience.js";
import { call, response, scripted } from "../scripted-stream.js";

test.each(["restate", "dbos"])("the adapter of %s is smaller than 1.5 KB", async (name) => {
  const { outputFiles } = await build({
    entryPoints: [`${import.meta.dirname}/../../src/middleware/durable/${name}.ts`],
    bundle: true,
    minify: true,
    format: "esm",
    write: false,
  });
  expect(gzipSync(outputFiles[0]?.contents ?? new Uint8Array(), { level: 9 }).length).toBeLessThan(1536);
});

test("a step takes little time, and no more in a long run", async () => {
  const names = ["a", "b", "c"];
  const turns = Array.from({ length: 120 }, (_, turn) => response(names.map((name) => call(`${name}${turn}`, name))));
  const tools = names.map((name) => ({
    name,
    description: name,
    parameters: Type.Object({}),
    execute: async () => ({ content: [{ type: "text" as const, text: "ok" }] }),
  }));
  let steps = 0;
  const run = <TValue>(_name: string, work: () => Promise<TValue>): Promise<TValue> => {
    steps++;
    return work();
  };
  const agent = new Agent({
    steps: durable({ runId: "r", run }),
    initialState: { tools },
    streamFn: scripted(...turns).streamFn,
    maxRepeats: 0,
  });
  const milliseconds = await processorTime(() => agent.prompt("Go."));
  // Prompts, queues and the last response, in addition to the steps of each turn.
  expect(steps).toBe(120 * 6 + 5);
  // It takes about 0.03 ms, including the other work of a turn.
  expect(milliseconds / steps).toBeLessThan(1);
});
