/** Asks a person before a tool runs. A pipe may reply, too: `echo n | npm run example permission.ts`. */
import { createInterface } from "node:readline/promises";
import { Agent, type AgentTool } from "pi-agent";
import { Type } from "pi-ai";
import { fauxAssistantMessage, fauxToolCall } from "pi-ai/testing";
import { chooseModel } from "./support/choose-model.ts";

const Path = Type.Object({ path: Type.String() });
const remove: AgentTool<typeof Path> = {
  name: "delete_file",
  description: "Deletes a file for good",
  parameters: Path,
  execute: async (_id, { path }) => `Deleted ${path} (not really)`,
};

const model = chooseModel([
  fauxAssistantMessage(fauxToolCall("delete_file", { path: "old.log" }), { stopReason: "toolUse" }),
  (context) => {
    const last = context.messages.at(-1);
    return fauxAssistantMessage(last?.role === "toolResult" && last.isError ? "Then I leave it." : "It is gone.");
  },
]);

const terminal = createInterface({ input: process.stdin, output: process.stdout });
const agent = new Agent({
  initialState: { model, tools: [remove] },
  // One question at a time, even when a response has several tool calls.
  toolExecution: "sequential",
  beforeToolCall: async ({ toolCall, args }, signal) => {
    const question = `Run ${toolCall.name} ${JSON.stringify(args)}? [y/n] `;
    const reply = await terminal.question(question, signal ? { signal } : {});
    return /^y/i.test(reply) ? undefined : { block: true, reason: "The user said no." };
  },
});
// If nobody can reply, the run ends.
terminal.once("close", () => agent.abort());

await agent.prompt("Delete old.log");
for (const message of agent.state.messages) {
  if (message.role !== "assistant") continue;
  for (const block of message.content) if (block.type === "text") console.log(`\n${block.text}`);
}
terminal.close();
