/** A run with every kind of step, and a ledger of its effects outside of its processes. */

import { Agent, type AgentEvent, type AgentMessage, type AgentOptions, type AnyAgentTool } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { type DurableLedger, durable } from "pi-agent/durable";
import { type AssistantMessage, Type } from "pi-ai";
import { call, eventsOf, MODEL, response, streamOf, text, user } from "../scripted-stream.js";
import type { MemoryProcess } from "./memory-engine.js";

/** The responses of the model. The ids of the calls repeat, as those of some providers do. */
export const SCRIPT: readonly AssistantMessage[] = [
  response([
    { type: "text", text: "I look, reserve and pay." },
    call("c1", "search", { city: "Oslo" }),
    call("c2", "reserve"),
    call("c3", "charge", { euros: 90 }),
    call("c4", "unknown"),
  ]),
  response([call("c1", "reserve"), call("c2", "charge", { euros: 5 })]),
  text("Booked."),
  text("You are welcome."),
];

/** Every effect, in the order in which it happened. */
export interface World {
  tools: string[];
  requests: number[];
  hooks: string[];
  /** The messages that other processes send to the run. */
  inbox: AgentMessage[];
}

export interface Outcome {
  messages: AgentMessage[];
  events: AgentEvent[];
  ledger: DurableLedger;
}

export function createWorld(): World {
  return { tools: [], requests: [], hooks: [], inbox: [] };
}

/** Runs the booking in a process. Undefined if it died. */
export async function book(
  process: MemoryProcess,
  world: World,
  options: Partial<AgentOptions> = {},
): Promise<Outcome | undefined> {
  const steps = durable(process, {
    inbox: (queue, offset) => (queue === "follow-up" ? world.inbox.slice(offset) : []),
  });
  const agent = new Agent({
    streamFn: async (_model, { messages }) => {
      const index = messages.filter(({ role }) => role === "assistant").length;
      await process.pause();
      world.requests.push(index);
      await process.pause();
      return streamOf(eventsOf(SCRIPT[index] ?? text("done")));
    },
    ...hooksOf(process, world),
    middleware: [approvals({ when: ({ tool }) => tool.name === "charge" })],
    ...options,
    steps,
    initialState: { model: { ...MODEL, cost: { ...MODEL.cost, input: 1 } }, tools: toolsOf(process, world) },
  });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => {
    if (process.isAlive) events.push(event);
  });
  const end = await Promise.race([agent.prompt(user("Book a hotel.")), process.died]);
  return end === "died" ? undefined : { messages: agent.state.messages, events, ledger: steps.ledger };
}

function toolsOf(process: MemoryProcess, world: World): AnyAgentTool[] {
  const create = (name: string, turns: number, replay: "safe" | "never"): AnyAgentTool => ({
    name,
    description: name,
    parameters: Type.Object({}, { additionalProperties: true }),
    replay,
    execute: async (_id, args, _signal, _onUpdate, context) => {
      world.tools.push(`${name} ${context?.idempotencyKey}`);
      for (let turn = 0; turn < turns; turn++) await process.pause();
      if (name === "reserve" && turns > 2) throw new Error("The hotel is full");
      return { content: [{ type: "text", text: `${name} ${JSON.stringify(args)}` }] };
    },
  });
  // The first tool ends last, so the order of completion is not the order of the calls.
  return [create("search", 5, "safe"), create("reserve", 3, "never"), create("charge", 1, "never")];
}

function hooksOf(process: MemoryProcess, world: World): Partial<AgentOptions> {
  const note = async (name: string): Promise<void> => {
    world.hooks.push(name);
    await process.pause();
  };
  return {
    getApiKey: async () => {
      await note("getApiKey");
      return "secret-key";
    },
    transformContext: async (messages) => {
      await note("transformContext");
      return messages;
    },
    beforeToolCall: async ({ toolCall, args }) => {
      await note("beforeToolCall");
      args.checked = toolCall.id;
    },
    afterToolCall: async ({ result }) => {
      await note("afterToolCall");
      return { content: [...result.content, { type: "text", text: "checked" }] };
    },
    prepareNextTurn: async ({ context }) => {
      await note("prepareNextTurn");
      return { context: { ...context, systemPrompt: "Be brief." } };
    },
    shouldStopAfterTurn: async () => {
      await note("shouldStopAfterTurn");
      return false;
    },
  };
}
