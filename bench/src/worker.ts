/** Runs one measurement: reads the order as JSON from the arguments, and prints the result as one line of JSON. */
import "../../test/support/dies-with-parent.js";
import { pathToFileURL } from "node:url";
import type { CreateClient, Load } from "./clients/client.ts";
import type { ClientName } from "./peers.ts";
import type { Scenario, WorkInput } from "./scenario.ts";
import type { Measured, Work } from "./works/measured.ts";

export type WorkName = Scenario["work"] | "agents" | "exactness";

export interface Order {
  work: WorkName;
  side: string;
  client: ClientName;
  /** A module that resolves packages from the peer's folder. Absent for ours. */
  loader?: string;
  input: WorkInput;
  serverUrl: string;
}

export type WorkerResult = { measured: Measured } | { reason: string };

const WORKS: Record<WorkName, () => Promise<{ run: Work }>> = {
  added: () => import("./works/added.ts"),
  stream: () => import("./works/stream.ts"),
  calls: () => import("./works/calls.ts"),
  concurrent: () => import("./works/concurrent.ts"),
  "event-stream": () => import("./works/event-stream.ts"),
  agent: () => import("./works/agent.ts"),
  agents: () => import("./works/agents.ts"),
  embed: () => import("./works/embed.ts"),
  exactness: () => import("./works/exactness.ts"),
  "first-delta": () => import("./works/first-delta.ts"),
  "http-agent": () => import("./works/http-agent.ts"),
  import: () => import("./works/import.ts"),
  inspect: () => import("./works/inspect.ts"),
  json: () => import("./works/json.ts"),
  object: () => import("./works/object.ts"),
  retained: () => import("./works/retained.ts"),
};

const CLIENTS: Record<ClientName, () => Promise<CreateClient>> = {
  floor: async () => (await import("./clients/floor.ts")).createClient,
  ours: async () => (await import("./clients/ours.ts")).createClient,
  pi: async () => (await import("./clients/pi.ts")).createClient,
  "pi-0": async () => (await import("./clients/pi-0.ts")).createClient,
  "vendor-sdks": async () => (await import("./clients/vendor-sdks.ts")).createClient,
  "ai-sdk": async () => (await import("./clients/ai-sdk.ts")).createClient,
  "openai-agents": async () => (await import("./clients/openai-agents.ts")).createClient,
  langchain: async () => (await import("./clients/langchain.ts")).createClient,
  jsonriver: async () => (await import("./clients/parsers.ts")).createJsonriverClient,
  "partial-json": async () => (await import("./clients/parsers.ts")).createPartialJsonClient,
};

async function fulfil(order: Order): Promise<WorkerResult> {
  const { run } = await WORKS[order.work]();
  const createClient = await CLIENTS[order.client]();
  const figures = await run({ ...order, client: createClient(await openLoader(order.loader)) });
  return { measured: { ...figures, peakMegabytes: process.resourceUsage().maxRSS / 1024 } };
}

async function openLoader(path: string | undefined): Promise<Load> {
  if (path === undefined) return (name) => import(name);
  const { load } = (await import(pathToFileURL(path).href)) as { load: Load }; // written by the installer
  return load;
}

const order = JSON.parse(process.argv[2] ?? "") as Order; // written by the parent process
const response = await fulfil(order).catch((error: unknown) => ({
  reason: String(error).slice(0, 200).replaceAll(/\s+/g, " "),
}));
process.stdout.write(`\n${JSON.stringify(response)}\n`, () => process.exit(0));
