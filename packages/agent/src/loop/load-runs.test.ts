import { Agent, type AgentEvent, agentLoop } from "pi-agent";
import { expect, test, vi } from "vitest";
import { user } from "../../test/scripted-stream.js";

vi.mock("./runs.js", () => {
  throw new Error("404");
});

const CONFIG = { model: { id: "m", api: "a", provider: "p" } } as never;

test("an agent without its loop rejects, and is idle afterwards", async () => {
  const agent = new Agent();
  const events: string[] = [];
  agent.subscribe((event) => void events.push(event.type));
  await expect(agent.prompt("Hi")).rejects.toThrow(
    /^pi-agent could not load its loop \(.*\)\. Deploy all files of the build/,
  );
  expect(events).toEqual(["agent_start", "agent_end"]);
  expect(agent.state.isStreaming).toBe(false);
  // The next run tries again.
  await expect(agent.prompt("Hi")).rejects.toThrow("could not load its loop");
});

test("a loop that cannot be loaded ends its stream with the failure", async () => {
  const events: AgentEvent[] = [];
  for await (const event of agentLoop([user("Hi")], { systemPrompt: "", messages: [] }, CONFIG)) events.push(event);
  expect(events.at(-1)).toMatchObject({
    type: "agent_end",
    messages: [{ stopReason: "error", errorMessage: expect.stringContaining("could not load its loop") }],
  });
});
