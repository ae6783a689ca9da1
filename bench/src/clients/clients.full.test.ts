import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createBenchServer } from "../bench-server.ts";
import { type BodyRequest, bodyPath, lengthOf, type Protocol } from "../bodies.ts";
import { SCENARIOS } from "../scenarios.ts";
import { run as checkExactness } from "../works/exactness.ts";
import type { Client } from "./client.ts";
import { createClient as createFloor } from "./floor.ts";
import { createClient as createOurs } from "./ours.ts";

const server = createBenchServer();
const noPeer = (): Promise<never> => Promise.reject(new Error("no peer is installed"));
const floor = createFloor(noPeer);
const ours = createOurs(noPeer);
let serverUrl = "";

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  serverUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // TCP
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function read(client: Client, body: BodyRequest, more: { read?: boolean } = {}): Promise<string> {
  let text = "";
  await client.stream?.({ url: serverUrl + bodyPath(body), ...body, ...more }, (delta) => {
    text += delta;
  });
  return text;
}

const PROTOCOLS: Protocol[] = ["anthropic-messages", "openai-completions", "openai-responses", "google-generative-ai"];

it.each(PROTOCOLS)("delivers the same complete text of %s to the floor and to our client", async (protocol) => {
  const body: BodyRequest = { protocol, kind: "prose", size: 999, piece: 4 };
  const text = await read(floor, body);
  expect(text).toHaveLength(lengthOf(body));
  expect(await read(ours, body)).toBe(text);
});

it("delivers the same complete arguments to the floor and to our client, also if partial values are read", async () => {
  const body: BodyRequest = { protocol: "anthropic-messages", kind: "arguments", size: 500, piece: 16 };
  const text = await read(floor, body);
  expect(JSON.parse(text)).toHaveProperty("content");
  expect(await read(ours, body)).toBe(text);
  expect(await read(ours, body, { read: true })).toBe(text);
});

it.each([1, 16])("completes agent runs with %i calls per turn", async (calls) => {
  await floor.runLoop?.(5, calls);
  await ours.runLoop?.(5, calls);
  await ours.runAgent?.(5);
});

it("completes agent runs with a request in each turn", async () => {
  const base: Omit<BodyRequest, "kind" | "size"> = { protocol: "anthropic-messages", piece: 16 };
  const run = {
    turns: 5,
    toolUrl: serverUrl + bodyPath({ ...base, kind: "arguments", size: 100 }),
    textUrl: serverUrl + bodyPath({ ...base, kind: "text", size: 5 }),
  };
  await floor.runHttpAgent?.(run);
  await ours.runHttpAgent?.(run);
});

it("checks the guarantees of our parser that the page lists", async () => {
  const { checks = {} } = await checkExactness({ side: "ours", client: ours, input: {}, serverUrl });
  const not = Object.keys(checks).filter((name) => !checks[name]);
  expect(not).toEqual(["a number is not shown before it is whole"]);
});

it("has a unique name for each scenario", () => {
  expect(new Set(SCENARIOS.map(({ name }) => name)).size).toBe(SCENARIOS.length);
});
