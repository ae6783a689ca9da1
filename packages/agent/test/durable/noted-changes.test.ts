/** A durable run notes its changes, and a process that repeats it has the same notes in the same places. */
import { Agent, type AgentMessage, type AnyAgentTool } from "pi-agent";
import { durable } from "pi-agent/durable";
import { type SystemMessage, Type } from "pi-ai";
import { expect, test } from "vitest";
import { call, eventsOf, MODEL, response, streamOf, text, user } from "../scripted-stream.js";
import { type Death, MemoryEngine, MOMENTS } from "./memory-engine.js";

const SCRIPT = [response([call("1", "look")]), response([call("2", "look")]), text("Booked.")];
const LOOK: AnyAgentTool = {
  name: "look",
  description: "look",
  replay: "safe",
  parameters: Type.Object({}),
  execute: async () => ({ content: [{ type: "text", text: "done" }] }),
};
const PAY: AnyAgentTool = { ...LOOK, name: "pay" };

/** Runs a process until it ends or dies. After each turn its prompt changes, and its tools once. */
async function live(engine: MemoryEngine, death?: Death): Promise<readonly AgentMessage[] | undefined> {
  const process = engine.start(death);
  const agent = new Agent({
    steps: durable(process, { now: () => 1000 }),
    streamFn: async (_model, { messages }) => {
      await process.pause();
      return streamOf(eventsOf(SCRIPT[messages.filter(({ role }) => role === "assistant").length] ?? text("more")));
    },
    initialState: { model: MODEL, systemPrompt: "Turn 0.", tools: [LOOK, PAY] },
    prepareNextTurn: ({ context, newMessages }) => {
      const turns = newMessages.filter(({ role }) => role === "assistant").length;
      return { context: { ...context, systemPrompt: `Turn ${turns}.`, tools: [LOOK] } };
    },
  });
  const end = await Promise.race([agent.prompt(user("Book a hotel.")), process.died]);
  return end === "died" ? undefined : agent.state.messages.map((message) => ({ ...message, durationMs: 0 }));
}

const notesIn = (messages: readonly AgentMessage[]) =>
  messages.filter((message): message is SystemMessage => message.role === "system");

test("a durable run that dies anywhere ends with the transcript of one that never died", async () => {
  const engine = new MemoryEngine();
  const whole = await live(engine);
  if (!whole) throw new Error("It died");
  expect(whole.map(({ role }) => role).join(" ")).toBe(
    "user assistant toolResult system assistant toolResult system assistant",
  );
  expect(notesIn(whole)).toMatchObject([
    { base: { systemPrompt: "Turn 0." }, systemPrompt: "Turn 1.", toolsRemoved: [{ name: "pay" }] },
    { systemPrompt: "Turn 2." },
  ]);
  expect(await live(engine)).toEqual(whole);
  for (let step = 0; step < engine.remembered.length; step++)
    for (const moment of MOMENTS) {
      const own = new MemoryEngine();
      expect(await live(own, { step, moment })).toBeUndefined();
      expect(await live(own), `died ${moment} step ${step}`).toEqual(whole);
    }
});

test("steps that were stored without notes are repeated without them", async () => {
  const engine = new MemoryEngine();
  await live(engine);
  for (const step of engine.remembered)
    step.json =
      step.json && JSON.stringify(JSON.parse(step.json), (key, value) => (key === "note" ? undefined : value));
  expect(notesIn((await live(engine)) ?? [])).toEqual([]);
});
