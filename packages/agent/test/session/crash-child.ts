/** An agent that calls tools until it is killed. Prints the number of each message that the run has passed. */
import { writeSync } from "node:fs";
import { fauxAssistantMessage, fauxText, fauxToolCall, registerFauxProvider, Type } from "pi-ai";
import { createSessionLog } from "../../src/entries/session.js";
import { Agent, type AgentTool } from "../../src/index.js";

const file = process.argv[2];
if (!file) throw new Error("a file is needed");

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

const agent = new Agent({ initialState: { model: faux.getModel(), tools: [tool] } });
await createSessionLog(agent, file);
let messages = 0;
agent.subscribe((event) => {
  // Listeners run in order, and each is awaited: the log has the message by now.
  if (event.type === "message_end") print(`${++messages}\n`);
});
await agent.prompt("Go.");

/** Writes synchronously. A broken pipe means that the test is gone, so the process exits. */
function print(line: string): void {
  try {
    writeSync(1, line);
  } catch {
    process.exit(1);
  }
}
