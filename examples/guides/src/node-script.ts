/** Prints the answer of an agent as it arrives: `node node-script.ts "What is in package.json?"` */
import { readFile } from "node:fs/promises";
import { Agent, defineTool } from "pi-agent";
import { getModel, Type } from "pi-ai";

const reader = defineTool({
  name: "read_file",
  description: "Reads a text file of this folder",
  parameters: Type.Object({ name: Type.String({ pattern: "^[\\w.-]+$" }) }),
  execute: (_id, { name }, signal) => readFile(name, { encoding: "utf8", signal }),
});

const agent = new Agent({
  initialState: { model: getModel("anthropic", "claude-sonnet-5-5"), tools: [reader] },
  maxTurns: 20,
});
agent.subscribe((event) => {
  if (event.type === "tool_execution_start") console.error(event.toolName, event.args);
  if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta")
    process.stdout.write(event.assistantMessageEvent.delta);
});
process.once("SIGINT", () => agent.abort());
await agent.prompt(process.argv[2] ?? "What is in package.json?");
process.stdout.write("\n");
if (agent.state.errorMessage) {
  console.error(agent.state.errorMessage);
  process.exitCode = 1;
}
