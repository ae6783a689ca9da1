/**
 * An agent that calls tools until it is killed, and continues what an earlier one left. Prints the text of each message that
 * the run has passed.
 */
import { writeSync } from "node:fs";
import { Agent, type AgentMiddleware, type AgentTool } from "pi-agent";
import { createSessionLog } from "pi-agent/session";
import { fauxAssistantMessage, fauxText, fauxToolCall, registerFauxProvider, Type } from "pi-ai";
import { logged } from "./logged.js";
import { STORES } from "./stores.js";

const [kind = "", place = "", id] = process.argv.slice(2);

const parameters = Type.Object({ step: Type.Number() });
const tool: AgentTool<typeof parameters> = {
  name: "work",
  label: "Work",
  description: "Works",
  parameters,
  execute: async (_id, { step }) => ({ content: [{ type: "text", text: `step ${step} `.repeat(50) }], details: {} }),
};

let step = 0;
const faux = registerFauxProvider();
const turn = () => {
  faux.appendResponses([turn]);
  const calls = [fauxToolCall("work", { step: ++step }), fauxToolCall("work", { step: ++step })];
  return fauxAssistantMessage([fauxText(`Turn ${step} 🌍 `.repeat(20)), ...calls], { stopReason: "toolUse" });
};
faux.setResponses([turn]);

const initialState = { model: faux.getModel(), tools: [tool] };
const agent = await start();
// Middleware gets events in the order of the list, and each is awaited: the log has the message by now.
const printing: AgentMiddleware = {
  name: "printing",
  begin: () => ({
    onEvent: (event) => {
      if (event.type === "message_end") print(`${JSON.stringify(event.message)}\n`);
    },
  }),
};
agent.middleware = [...(agent.middleware ?? []), printing];
await agent.prompt("Go.");

/** An agent whose log is a separate file, or a session in a store. */
async function start(): Promise<Agent> {
  if (id === undefined) {
    const fresh = new Agent({ initialState });
    await logged(fresh, createSessionLog(place));
    return fresh;
  }
  const opened = STORES[kind]?.(place);
  if (!opened) throw new Error(`There is no store ${kind}`);
  const { messages = [] } = (await opened.store.load(id)) ?? {};
  const continued = new Agent({ initialState: { ...initialState, messages } });
  // Whoever starts this process knows that the earlier one is dead.
  await logged(continued, opened.store.log(id, { takeOver: true }));
  return continued;
}

/** Writes synchronously. A broken pipe means that the test is gone, so the process exits. */
function print(line: string): void {
  try {
    writeSync(1, line);
  } catch {
    process.exit(1);
  }
}
