/** A durable run that goes on after a pause, in a process that has what the one before has added to the conversation. */
import { Agent, type AgentMessage } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { durable } from "pi-agent/durable";
import { expect, test } from "vitest";
import { calls, MODEL, scripted, text } from "../scripted-stream.js";
import { tool } from "../scripted-tool.js";
import { MemoryEngine } from "./memory-engine.js";

const pausing = [approvals({ when: () => true, pause: true })];

test("puts the record of a call back that its result has replaced, and repeats the run", async () => {
  const ran: string[] = [];
  const work = tool("work", async (id) => {
    ran.push(id);
    return "worked";
  });
  const create = (messages: AgentMessage[], more: ConstructorParameters<typeof Agent>[0]): Agent =>
    new Agent({ initialState: { model: MODEL, tools: [work], messages }, middleware: pausing, ...more });
  const asked = create([], { streamFn: scripted(calls("work")).streamFn });
  await asked.prompt("Go.");
  await asked.answer([{ id: "1", approved: true }]);
  const answered = JSON.parse(JSON.stringify(asked.state.messages)) as AgentMessage[];
  const engine = new MemoryEngine();
  const first = create(answered, { steps: durable(engine.start()), streamFn: scripted(text("Done.")).streamFn });
  await first.continue();
  const done = JSON.parse(JSON.stringify(first.state.messages)) as AgentMessage[];
  for (const known of [answered, done.slice(0, 3), done]) {
    const next = create(known, { steps: durable(engine.start()), streamFn: scripted().streamFn });
    // A conversation that is whole needs no run.
    if (known === done) await expect(next.continue()).rejects.toThrow("Cannot continue from message role: assistant");
    else await next.continue();
    expect(JSON.parse(JSON.stringify(next.state.messages))).toEqual(done);
  }
  expect(ran).toEqual(["1"]);
});
