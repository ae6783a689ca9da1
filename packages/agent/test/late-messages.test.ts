/** What an agent accepts while it streams is answered, whenever it comes. */
import { Agent, AgentBusyError } from "pi-agent";
import { fauxAssistantMessage } from "pi-ai";
import { createScriptedStreamFn } from "pi-ai/testing";
import { describe, expect, it } from "vitest";
import { budget } from "../../../test/support/suite.js";

const answers = (count: number) => Array.from({ length: count }, () => fauxAssistantMessage("Yes."));
const textsOf = (agent: Agent): string[] =>
  agent.state.messages.flatMap((message) =>
    message.role === "user" && Array.isArray(message.content)
      ? message.content.flatMap((block) => (block.type === "text" ? [block.text] : []))
      : [],
  );

describe("a message that comes after the last look at the queues", () => {
  it.each(["steer", "followUp"] as const)("is answered in a run of its own (%s)", async (whileRunning) => {
    const agent = new Agent({ streamFn: createScriptedStreamFn(answers(2)) });
    const events: string[] = [];
    let did: string | undefined;
    agent.subscribe(async ({ type }) => {
      events.push(type);
      if (type !== "agent_end" || did) return;
      await Promise.resolve();
      did = agent.send("Late", { whileRunning }).did;
    });
    expect(agent.send("First", { whileRunning }).did).toBe("start");
    expect(() => agent.send("No", { whileRunning: "refuse" })).toThrow(AgentBusyError);
    await agent.waitForIdle();
    expect(did).toBe(whileRunning);
    expect(textsOf(agent)).toEqual(["First", "Late"]);
    expect(agent.state.messages).toHaveLength(4);
    expect(events.filter((type) => type === "agent_start" || type === "agent_end")).toEqual([
      "agent_start",
      "agent_end",
      "agent_start",
      "agent_end",
    ]);
  });

  it("stays queued after an abort", async () => {
    const agent = new Agent({ streamFn: createScriptedStreamFn(answers(2)) });
    agent.subscribe(({ type }) => {
      if (type !== "agent_end") return;
      agent.followUp("Late");
      agent.abort();
    });
    await agent.prompt("First");
    expect(textsOf(agent)).toEqual(["First"]);
    expect(agent.peekQueuedMessages()).toHaveLength(1);
  });

  // Each conversation is sent whole with each request, so many short ones cost less than a long one.
  const conversations = budget({ quick: 1, all: 20 });
  it(`is never missing among thousands (${conversations * 500} messages)`, async () => {
    for (let round = 0; round < conversations; round++) await loseNothing(500);
  });
});

async function loseNothing(count: number): Promise<void> {
  const agent = new Agent({ streamFn: createScriptedStreamFn(answers(count + 1)) });
  let sent = 0;
  agent.subscribe(async ({ type }) => {
    if (type !== "agent_end" && type !== "turn_end") return;
    await Promise.resolve();
    if (sent < count) agent.send(`m${sent++}`, { whileRunning: sent % 2 ? "steer" : "followUp" });
  });
  await agent.prompt("First");
  expect(textsOf(agent)).toHaveLength(count + 1);
  expect(new Set(textsOf(agent)).size).toBe(count + 1);
  expect(agent.hasQueuedMessages()).toBe(false);
}
