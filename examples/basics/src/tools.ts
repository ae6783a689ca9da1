/** Tools with typed arguments, run by an agent. */
import { Agent, type AgentTool } from "pi-agent";
import { Type } from "pi-ai";
import { fauxAssistantMessage, fauxToolCall } from "pi-ai/testing";
import { chooseModel } from "./support/choose-model.ts";

const Sum = Type.Object({ numbers: Type.Array(Type.Number(), { minItems: 1 }) });
const add: AgentTool<typeof Sum> = {
  name: "add",
  label: "Add",
  description: "Adds numbers",
  parameters: Sum,
  // `numbers` is number[], from the schema; the arguments have been validated.
  execute: async (_id, { numbers }) => {
    const sum = numbers.reduce((total, number) => total + number, 0);
    return { content: [{ type: "text", text: String(sum) }], details: { count: numbers.length } };
  },
};

const model = chooseModel([
  // Two tool calls of one response run in parallel. The second has invalid arguments, and the model reads why.
  fauxAssistantMessage([fauxToolCall("add", { numbers: [17, 25] }), fauxToolCall("add", { numbers: [] })], {
    stopReason: "toolUse",
  }),
  fauxAssistantMessage("17 and 25 are 42."),
]);

const agent = new Agent({ initialState: { model, systemPrompt: "Use the tools.", tools: [add] }, maxTurns: 5 });
agent.subscribe((event) => {
  if (event.type === "tool_execution_start") console.log(event.toolName, JSON.stringify(event.args));
  if (event.type === "tool_execution_end") console.log(event.isError ? "failed:" : "gave:", event.result.content[0]);
  if (event.type === "message_update" && event.assistantMessageEvent.type === "text_end") {
    console.log(event.assistantMessageEvent.content);
  }
});
await agent.prompt("What are 17 and 25?");
