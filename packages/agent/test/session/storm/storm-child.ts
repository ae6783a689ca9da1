/**
 * One process of a conversation that many processes hold, one after the other: it opens the session, by force if its store can, and
 * goes on with `agent.resume()`. Its parent kills it, or starts another one that takes the session from it. It writes each fact as a
 * line, before it does anything else.
 *
 * `storm-child.ts STORE PLACE ID SEED PROCESS LAST HOLD`; the LAST process says nothing more and brings the conversation to its
 * end. After HOLD lines a process stands still, as one that a machine has suspended, until it reads a byte; 0 for never.
 */
import { readSync, writeSync } from "node:fs";
import { Agent, type AgentMiddleware, type AnyAgentTool, type PauseRequest, type StreamFn } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { SessionLogError } from "pi-agent/session";
import { Type } from "pi-ai";
import { createRandom } from "../../../../../test/support/random.js";
import { call, eventsOf, MODEL, response, streamOf, text } from "../../scripted-stream.js";
import { STORES } from "../stores.js";
import { EXITS, isApproved, nameOf, type StormLine } from "./storm-facts.js";

const [kind = "", place = "", id = "", seed = "", number = "", last = "", hold = ""] = process.argv.slice(2);
const random = createRandom(Number(seed) * 1000 + Number(number));
const isLast = last === "true";
let isLost = false;
/** The type of the event that is being delivered. */
let event = "";
/** The one at which the process has learned that its session is lost. */
let lostAt = "";
let count = 0;
let linesLeft = Number(hold);

function write(line: StormLine): void {
  writeLine(line);
  if (--linesLeft === 0) readSync(0, Buffer.alloc(1));
}

function writeLine(line: StormLine): void {
  for (const bytes = `${JSON.stringify(line)}\n`; ; ) {
    try {
      return void writeSync(1, bytes);
    } catch (error) {
      // The pipe is full.
      if (Object(error).code !== "EAGAIN") process.exit(EXITS.orphaned);
    }
  }
}

const next = (letter: string): string => `${letter}${number}.${++count}`;
const streamFn: StreamFn = () => {
  write({ kind: "point" });
  if (isLast || random.chance(0.4)) return streamOf(eventsOf(text(next("a"))));
  const names = ["look", "pay", "pay", "fetch"];
  const calls = Array.from({ length: 1 + random.below(3) }, () => call(next("c"), random.pick(names), {}));
  return streamOf(eventsOf(response(calls)));
};
const tool = (name: string, more: Partial<AnyAgentTool> = {}): AnyAgentTool => ({
  name,
  description: name,
  parameters: Type.Object({}),
  execute: async (callId) => {
    write({ kind: "begin", name, callId });
    await new Promise((resolve) => setImmediate(resolve));
    write({ kind: "point" });
    return "done";
  },
  ...more,
});
/** Behind the session in the list: what it sees is stored, unless the session is lost. */
const telling: AgentMiddleware = {
  name: "telling",
  begin: () => ({
    onEvent: (event) => {
      const name = event.type === "message_end" ? nameOf(event.message) : undefined;
      write(name === undefined || isLost ? { kind: "point" } : { kind: "stored", name });
    },
  }),
};

/** Sends a message, and says so when it is stored. */
function send(agent: Agent): Promise<void> {
  const name = next("u");
  const { done } = agent.send(name, { whileRunning: random.pick(["steer", "followUp"]) });
  return done.then(() => write(isLost ? { kind: "point" } : { kind: "stored", name }));
}

async function answer(agent: Agent, requests: readonly PauseRequest[]): Promise<void> {
  const chosen = requests.filter(() => isLast || random.chance(0.8));
  await agent.answer(chosen.map((request) => ({ id: request.id, approved: isApproved(request.toolCallId) })));
  write({ kind: "point" });
}

/** Answers, goes on, and sends messages. */
async function talk(agent: Agent): Promise<void> {
  for (let left = isLast ? 100 : 2 + random.below(6); left > 0 && !isLost; left--) {
    if (agent.state.pause) await answer(agent, agent.state.pause.requests);
    const running = agent.resume();
    const sent = !isLast && agent.state.isStreaming ? send(agent) : undefined;
    const outcome = await running;
    await sent;
    if (isLast && outcome === "idle") break;
    // A conversation that waits may refuse a message.
    if (!(isLast || isLost || agent.state.pause)) await send(agent);
  }
}

/** A process that has lost its session has a run that says so, unless the run was stored and only its end was not. */
function endLost(errorMessage = ""): never {
  if (lostAt !== "agent_end" && !/^Another writer has taken the session/.test(errorMessage))
    throw new Error(`The session is lost, and the run ended with "${errorMessage}", after ${lostAt}`);
  process.exit(EXITS.lost);
}

async function main(): Promise<void> {
  const opened = STORES[kind]?.(place);
  if (!opened) throw new Error(`There is no store ${kind}`);
  const onLost = (): void => {
    isLost = true;
    lostAt = event;
  };
  const session = await opened.store.open(id, { takeOver: kind !== "jsonl", onLost, onError: () => {} });
  write({ kind: "open" });
  const agent = new Agent({
    initialState: {
      model: MODEL,
      tools: [tool("look"), tool("pay"), tool("fetch", { replay: "safe" })],
      messages: session.messages,
    },
    middleware: [approvals({ when: ({ tool: { name } }) => name !== "look", pause: true }), session, telling],
    onNewMessage: random.pick(["refuse", "decline"]),
    toolExecution: random.pick(["parallel", "sequential"]),
    streamFn,
  });
  agent.subscribe(({ type }) => {
    event = type;
  });
  await talk(agent);
  const { errorMessage } = agent.state;
  if (isLost) endLost(errorMessage);
  if (errorMessage) throw new Error(errorMessage);
  await session.close();
  await opened.close();
}

await main().catch((error: unknown) => {
  if (error instanceof SessionLogError && /in use/.test(error.message)) process.exit(EXITS.inUse);
  if (error instanceof SessionLogError && /has taken/.test(error.message)) process.exit(EXITS.lost);
  throw error;
});
