/** The agent of a storm, and a ledger of its effects outside of its process. */
import { appendFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { Agent, type AgentMessage, type AnyAgentTool } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { type DurableSteps, durable } from "pi-agent/durable";
import { type AssistantMessage, Type } from "pi-ai";
import { createScriptedStreamFn, fauxAssistantMessage, fauxText, fauxToolCall } from "pi-ai/testing";

/** A line of the ledger. */
export type LedgerLine = { run: string } & (
  | { kind: "request" | "complete"; index: number }
  | { kind: "tool"; key: string }
  | { kind: "approval"; name: string }
  | { kind: "finished"; transcript: string; unknown: string[]; lost: number; durationMs: number }
  | { kind: "failed"; error: string }
);

const WORDS = "some words that take a while to arrive ".repeat(6);
const TURNS = 3;
const TOOLS = ["search", "reserve", "pay"];

/** The same ids in every response, as some providers send them. */
function respond(index: number): AssistantMessage {
  if (index >= TURNS) return fauxAssistantMessage(WORDS);
  const calls = TOOLS.map((name, place) => fauxToolCall(name, { turn: index }, { id: `call_${place}` }));
  return fauxAssistantMessage([fauxText(WORDS), ...calls], { stopReason: "toolUse" });
}

function toolsOf(write: (line: { kind: "tool"; key: string }) => void): AnyAgentTool[] {
  return TOOLS.map((name) => ({
    name,
    description: name,
    parameters: Type.Object({ turn: Type.Number() }),
    replay: name === "search" ? "safe" : "never",
    execute: async (_id, { turn }, _signal, _onUpdate, context) => {
      write({ kind: "tool", key: `${name} ${context?.idempotencyKey}` });
      await wait(20 + 80 * Math.random());
      return { content: [{ type: "text", text: `${name} of turn ${turn}` }] };
    },
  }));
}

/** Runs the agent to its end. Rethrows errors of the engine. `code` is the version of the program. */
export async function runStormAgent(
  steps: DurableSteps,
  file: string,
  code: "same" | "changed" = "same",
): Promise<string> {
  const run = steps.runId ?? "";
  const started = Date.now();
  const write = (line: object): void => appendFileSync(file, `${JSON.stringify({ run, ...line })}\n`);
  const durableSteps = durable(steps, {
    inbox: (queue, offset) =>
      queue === "follow-up" && offset === 0 ? [{ role: "user", content: "And then?", timestamp: 1 }] : [],
  });
  const agent = new Agent({
    steps: durableSteps,
    streamFn: (model, context, options) => {
      const index = context.messages.filter(({ role }) => role === "assistant").length;
      write({ kind: "request", index });
      return createScriptedStreamFn([respond(index)], { tokensPerSecond: 400 })(model, context, options);
    },
    initialState: { tools: toolsOf(write) },
    // One approval in the middle of a run.
    middleware: [approvals({ when: ({ tool, args }) => tool.name === "pay" && args["turn"] === 1 })],
  });
  if (code === "changed") agent.beforeToolCall = async () => undefined;
  agent.subscribe((event) => {
    if (event.type === "approval_requested") write({ kind: "approval", name: event.request.name });
    // The engine has remembered the response by now.
    if (event.type === "message_end" && event.message.role === "assistant") {
      write({ kind: "complete", index: agent.state.messages.filter(({ role }) => role === "assistant").length - 1 });
    }
  });
  await agent.prompt("Book a hotel.").catch((error) => {
    write({ kind: "failed", error: String(error) });
    throw error;
  });
  const transcript = describeTranscript(agent.state.messages);
  const { unknownEffects: unknown, lost } = durableSteps.ledger;
  write({ kind: "finished", transcript, unknown, lost: lost.responses, durationMs: Date.now() - started });
  return transcript;
}

/** The messages as a text; a result of unknown effect as `?`. */
function describeTranscript(messages: readonly AgentMessage[]): string {
  return messages
    .map((message) => {
      if (message.role === "toolResult" && JSON.stringify(message.content).includes("It may have run")) return "?";
      return `${message.role}:${JSON.stringify("content" in message ? message.content : "")}`;
    })
    .join("\n");
}
