import { agentTool } from "pi-agent/limits";
import { Type } from "pi-ai";
import { expect, it, vi } from "vitest";
import { callLook, createWireAgent, say } from "../test/support/wire-agent.js";
import { inspect } from "./inspect.js";

vi.mock("./server/start-server.js", async (original) => ({
  ...(await original<typeof import("./server/start-server.js")>()),
  // The build puts the page beside the code.
  loadAssets: async () => new Map([["", { type: "text/html", body: "page" }]]),
}));

const titles = async (url: string): Promise<string[]> => {
  const runs = (await (await fetch(new URL("api/runs", url))).json()) as { title: string }[];
  return runs.map(({ title }) => title).toSorted();
};

it("shows the agents of a process on one page until the last is closed", async () => {
  const urls: string[] = [];
  const agents = ["one", "two"].map((text) => createWireAgent([say(text)]).agent);
  const inspectors = await Promise.all(
    agents.map((agent, index) => inspect(agent, { name: `agent ${index}`, onUrl: (url) => urls.push(url) })),
  );
  const { url = "" } = inspectors[0] ?? {};
  expect(urls).toEqual([url, url]);
  for (const agent of agents) await agent.prompt("Hi");
  expect(await titles(url)).toEqual(["agent 0", "agent 1"]);
  await inspectors[0]?.close();
  expect(await titles(url)).toHaveLength(2);
  await inspectors[1]?.close();
  await expect(fetch(url)).rejects.toThrow();
});

it("is a member of the list of an agent, and shows the agents of its tools as runs of their own", async () => {
  const inspector = inspect({ onUrl: () => {} });
  const child = () => createWireAgent([say("child")]).agent;
  const look = agentTool({ name: "look", description: "Looks", parameters: Type.Object({}), agent: child });
  const { agent } = createWireAgent([callLook, say("outer")]);
  agent.state.tools = [look];
  agent.middleware = [inspector];
  await agent.prompt("Hi");
  const url = await inspector.url;
  expect(await titles(url)).toEqual(["Hi", "look"]);
  await inspector.close();
  await agent.prompt("Again").catch(() => {});
  await expect(fetch(url)).rejects.toThrow();
});

it("removes itself from an agent that existed before", async () => {
  const { agent } = createWireAgent([]);
  const inspector = await inspect(agent, { onUrl: () => {} });
  expect(agent.middleware).toHaveLength(1);
  await inspector.close();
  expect(agent.middleware).toEqual([]);
});

it("stops the server if onUrl throws", async () => {
  const { agent } = createWireAgent([say("Hi")]);
  let address = "";
  const onUrl = (url: string): void => {
    address = url;
    throw new Error("No browser");
  };
  await expect(inspect(agent, { onUrl })).rejects.toThrow("No browser");
  await expect(fetch(address)).rejects.toThrow();
});
