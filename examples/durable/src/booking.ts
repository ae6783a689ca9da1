/** The agent of every run, and a ledger of its effects: a file, because it must outlive every process. */
import { appendFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { Agent, type AnyAgentTool } from "pi-agent";
import { type DurableSteps, durable } from "pi-agent/durable";
import { Type } from "pi-ai";
import { createScriptedStreamFn, fauxAssistantMessage, fauxText, fauxToolCall } from "pi-ai/testing";

/** What happened in a run. */
export type LedgerLine = { run: string } & (
  | { kind: "request" | "complete"; response: number }
  | { kind: "tool"; key: string }
  | { kind: "finished"; messages: number; unknown: number; lost: number }
);

const TOOLS = ["search", "reserve", "pay"];
const WORDS = "I look for a hotel that you will like, and I tell you what I find. ".repeat(2);
const SCRIPT = [
  fauxAssistantMessage([fauxText(WORDS), ...TOOLS.map((name) => fauxToolCall(name, {}))], { stopReason: "toolUse" }),
  fauxAssistantMessage([fauxText(WORDS), fauxToolCall("reserve", {})], { stopReason: "toolUse" }),
  fauxAssistantMessage("Booked."),
];

/** Books a hotel. A scripted model replaces a real one, so that the example needs no key. */
export async function bookHotel(steps: DurableSteps, ledger: string): Promise<number> {
  const run = steps.runId ?? "";
  const write = (line: object): void => appendFileSync(ledger, `${JSON.stringify({ run, ...line })}\n`);
  const tools = TOOLS.map(
    (name): AnyAgentTool => ({
      name,
      description: name,
      parameters: Type.Object({}),
      replay: name === "search" ? "safe" : "never",
      execute: async (_id, _args, _signal, _onUpdate, context) => {
        write({ kind: "tool", key: `${name} ${context?.idempotencyKey}` });
        await wait(100 + 200 * Math.random());
        return `${name}: done`;
      },
    }),
  );
  const durableSteps = durable(steps);
  const agent = new Agent({
    steps: durableSteps,
    initialState: { tools },
    streamFn: (model, context, options) => {
      const response = context.messages.filter(({ role }) => role === "assistant").length;
      write({ kind: "request", response });
      return createScriptedStreamFn(SCRIPT.slice(response), { tokensPerSecond: 60 })(model, context, options);
    },
  });
  const countResponses = () => agent.state.messages.filter(({ role }) => role === "assistant").length;
  agent.subscribe((event) => {
    // By now the engine has stored the response.
    if (event.type === "message_end" && event.message.role === "assistant") {
      write({ kind: "complete", response: countResponses() - 1 });
    }
  });
  await agent.prompt("Book a hotel.");
  const { unknownEffects, lost } = durableSteps.ledger;
  const messages = agent.state.messages.length;
  write({ kind: "finished", messages, unknown: unknownEffects.length, lost: lost.responses });
  return messages;
}
