/**
 * One process of a conversation that pauses: opens the session, answers what is open, goes on, and dies at a random point. It
 * has nothing but the session. Writes what its tools do to a ledger, at once.
 *
 * `pause-storm-child.ts STORE PLACE ID SEED PROCESS DIE_AT`; DIE_AT 0 never dies by itself.
 */
import { appendFileSync, writeSync } from "node:fs";
import {
  Agent,
  type AgentMiddleware,
  type AnyAgentTool,
  type PauseAnswer,
  type PauseRequest,
  type StreamFn,
} from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { agentTool } from "pi-agent/limits";
import { SessionLogError } from "pi-agent/session";
import { type AssistantMessage, Type } from "pi-ai";
import { createRandom, type Random } from "../../../test/support/random.js";
import { isApprovedBySeed, type LedgerLine, STORES } from "./pause-storm-facts.js";
import { call, eventsOf, MODEL, response, streamOf, text } from "./scripted-stream.js";

const [kind = "", place = "", id = "", seedWord = "", processWord = "", dieWord = ""] = process.argv.slice(2);
const seed = Number(seedWord);
/** The choices of this process; those of the conversation depend on the seed alone. */
const random = createRandom(seed * 1000 + Number(processWord));
let pointsLeft = Number(dieWord);

/** A point at which the process may die. A byte tells the parent, which may kill it, too. */
function point(): void {
  tellParent();
  if (--pointsLeft === 0) process.kill(process.pid, "SIGKILL");
}

/** A parent that is busy reads later: until then its pipe may be full. */
function tellParent(): void {
  for (;;) {
    try {
      return void writeSync(1, ".");
    } catch (error) {
      if (Object(error).code !== "EAGAIN") throw error;
    }
  }
}

function write(line: LedgerLine): void {
  appendFileSync(`${place}.${id}.ledger`, `${JSON.stringify(line)}\n`);
}

/** Choices of the conversation at one place, the same in each process. */
const choose = (at: number): Random => createRandom(seed * 7919 + at);
const isSequential = choose(1).chance(0.3);
const rounds = 1 + choose(2).below(3);
const NAMES = ["look", "pay", "pay", "fetch", "ask", "run"] as const;

function callTools(names: readonly string[], done: number, first: number): AssistantMessage {
  const chosen = choose(100 + first + done);
  // Some providers repeat ids in every response.
  const prefix = chosen.chance(0.5) ? "" : `${done}-`;
  const count = 1 + chosen.below(4);
  return response(
    Array.from({ length: count }, (_, index) =>
      call(`${prefix}${index}`, chosen.pick(names), { n: first + done * 10 + index }),
    ),
  );
}

/** Calls tools in the first responses, then ends. */
function respond(names: readonly string[], responses: number, first: number): StreamFn {
  return (_model, { messages }) => {
    point();
    if (first === 0) write({ kind: "request", messages: [...messages] });
    const done = messages.filter(({ role }) => role === "assistant").length;
    return streamOf(eventsOf(done < responses ? callTools(names, done, first) : text("Done.")));
  };
}

const parameters = Type.Object({ n: Type.Number() });
const Answer = Type.Object({ size: Type.Number() });

function tool(name: string, more: Partial<AnyAgentTool> = {}): AnyAgentTool {
  return {
    name,
    description: name,
    parameters,
    execute: async (_id, { n }: { n: number }, _signal, _onUpdate, context) => {
      point();
      if (name === "ask") await context?.ask?.({ message: "Which size?", schema: Answer });
      write({ kind: "begin", n });
      point();
      await new Promise((resolve) => setImmediate(resolve));
      point();
      write({ kind: "end", n });
      point();
      return `${name} is done`;
    },
    ...more,
  };
}

const tools = [tool("look"), tool("pay"), tool("fetch", { replay: "safe" }), tool("ask")];
const asking = (): AgentMiddleware =>
  approvals({
    when: ({ tool: { name } }) => name === "pay" || name === "fetch",
    pause: true,
    secret: "s".repeat(32),
    claim: () => true,
  });
const child = agentTool({
  name: "run",
  description: "Runs an agent",
  parameters,
  agent: ({ n }) =>
    new Agent({
      sessionId: `child ${n}`,
      initialState: { model: MODEL, tools },
      middleware: [asking()],
      streamFn: respond(["pay", "ask"], 1, 1000 * (n + 1)),
    }),
});
/** Around the log, so that a process dies before and after each message is written. */
const dying = (name: string): AgentMiddleware => ({ name, begin: () => ({ onEvent: point }) });

/** Answers some of what is open, in any order. */
function chooseAnswers(requests: readonly PauseRequest[]): PauseAnswer[] {
  const order = requests
    .map((request) => ({ request, at: random.below(1e9) }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ request }) => request);
  return order.slice(0, 1 + random.below(order.length)).map((request): PauseAnswer => {
    const approved = isApprovedBySeed(seed, Number(request.arguments["n"]));
    return { id: request.id, approved, ...(request.kind === "question" && { value: { size: 1 } }) };
  });
}

async function main(): Promise<void> {
  const store = STORES[kind]?.(place);
  if (!store) throw new Error(`There is no store ${kind}`);
  point();
  // Only the writer of a session may read it to go on: another process may be running its calls.
  const log = await store.log(id);
  const { messages = [] } = (await store.load(id)) ?? {};
  const agent = new Agent({
    sessionId: id,
    toolExecution: isSequential ? "sequential" : "parallel",
    initialState: { model: MODEL, tools: [...tools, child], messages },
    middleware: [dying("before"), log, asking(), dying("after")],
    streamFn: respond(NAMES, rounds, 0),
  });
  const last = () => agent.state.messages.at(-1);
  while (!(last()?.role === "assistant" && !agent.state.pause)) {
    const requests = agent.state.pause?.requests ?? [];
    point();
    if (requests.length > 0) {
      const answers = chooseAnswers(requests);
      await agent.answer([...answers, ...answers]);
      point();
      await agent.answer(answers);
    }
    point();
    await (agent.state.messages.length === 0 ? agent.prompt("Go.") : agent.continue());
    point();
    if (agent.state.errorMessage) throw new Error(agent.state.errorMessage);
    // The request of a page ends with the pause; the answer comes to another process.
    if (random.chance(0.5)) break;
  }
  await log.close();
  await store.close();
}

await main().catch((error: unknown) => {
  // Another process has the session open.
  if (error instanceof SessionLogError) process.exit(3);
  throw error;
});
