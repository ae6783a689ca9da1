/** A page gets no system prompt: neither that of the agent, nor that of an agent whose call waits. */
import { Agent } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { createMemoryEventStore, publish, type RunEvent } from "pi-agent/event-store";
import { agentTool } from "pi-agent/limits";
import { createRunResponse } from "pi-agent/sse";
import { Type } from "pi-ai";
import { expect, test } from "vitest";
import { call, MODEL, response, scripted, text } from "../scripted-stream.js";

const pay = { name: "pay", description: "Pays", parameters: Type.Object({}), execute: async () => "Paid" };

async function createChild(): Promise<Agent> {
  const agent = new Agent({
    initialState: { model: MODEL, systemPrompt: "secret prompt", tools: [pay] },
    middleware: [approvals({ pause: true })],
    streamFn: scripted(text("Hi."), response([call("p", "pay")]), text("Done.")).streamFn,
  });
  await agent.prompt("Hi");
  agent.state.systemPrompt = "another secret prompt";
  return agent;
}

test("notes in the conversation of an agent whose call waits are not published, in events and snapshots", async () => {
  const store = createMemoryEventStore<RunEvent>();
  const run = agentTool({ name: "run", description: "Runs", parameters: Type.Object({}), agent: createChild });
  const agent = new Agent({
    initialState: { model: MODEL, tools: [run] },
    middleware: [publish(store, "r", { snapshotEvery: 1 })],
    streamFn: scripted(response([call("c", "run")])).streamFn,
  });
  await agent.prompt("Go.");
  expect(agent.state.pause?.requests).toHaveLength(1);
  // The conversation itself keeps them, to go on.
  expect(JSON.stringify(agent.state.messages)).toContain("secret prompt");
  const published = await createRunResponse(store, "r").text();
  expect(published).toContain('"resume"');
  expect(published).not.toContain("secret prompt");
});
