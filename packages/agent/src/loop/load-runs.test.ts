import type { AgentEvent } from "pi-agent";
import { beforeEach, expect, test, vi } from "vitest";
import { MODEL, user } from "../../test/scripted-stream.js";

const CONFIG = { model: MODEL, convertToLlm: () => [] };
const CONTEXT = { systemPrompt: "", messages: [] };

/** The modules as in a process that has not run an agent. */
async function loadFresh(load: () => unknown) {
  vi.resetModules();
  vi.doMock("./run-modes.js", load as () => object);
  return { ...(await import("../agent.js")), ...(await import("../agent-loop.js")) };
}

function fail(): never {
  throw new Error("404");
}

const never = (): Promise<never> => new Promise(() => {});

beforeEach(() => () => {
  vi.doUnmock("./run-modes.js");
  vi.resetModules();
});

test("an agent whose loop cannot be loaded fails as any other run", async () => {
  const { Agent } = await loadFresh(fail);
  const agent = new Agent({ initialState: { model: MODEL } });
  const events: string[] = [];
  agent.subscribe((event) => void events.push(event.type));
  await agent.prompt("Hi");
  expect(agent.state.errorMessage).toMatch(/^pi-agent could not load its loop \(.*\)\. Deploy all files of the build/);
  expect(agent.state.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  expect(agent.state.isStreaming).toBe(false);
  const message = ["message_start", "message_end"];
  expect(events).toEqual(["agent_start", "turn_start", ...message, ...message, "turn_end", "agent_end"]);
});

test("an abort does not wait for the loop", async () => {
  const { Agent } = await loadFresh(never);
  const agent = new Agent({ initialState: { model: MODEL } });
  const prompted = agent.prompt("Hi");
  expect(agent.state.isStreaming).toBe(true);
  agent.abort();
  await prompted;
  expect(agent.state.messages.at(-1)).toMatchObject({ stopReason: "aborted", errorMessage: "Request was aborted" });
});

test("the functions of the loop end their stream with the failure", async () => {
  const { agentLoop, runAgentLoop } = await loadFresh(fail);
  const events: AgentEvent[] = [];
  for await (const event of agentLoop([user("Hi")], CONTEXT, CONFIG)) events.push(event);
  const errorMessage = expect.stringContaining("could not load its loop");
  expect(events.at(-1)).toMatchObject({ type: "agent_end", messages: [{ stopReason: "error", errorMessage }] });
  await expect(runAgentLoop([user("Hi")], CONTEXT, CONFIG, () => {})).rejects.toThrow("could not load its loop");
});
