/** Asks a person before a tool runs that changes something. */
import { createInterface } from "node:readline/promises";
import { Agent, defineTool } from "pi-agent";
import { Type } from "pi-ai";
import { createScriptedStreamFn, fauxAssistantMessage, fauxToolCall } from "pi-ai/testing";

const deleteFile = defineTool({
  name: "delete_file",
  description: "Deletes a file for good",
  parameters: Type.Object({ path: Type.String() }),
  execute: async (_id, { path }) => `Deleted ${path} (not really)`,
});
/** Tools that only read need no approval. */
const HARMLESS = new Set(["read_file", "list_files"]);

const terminal = createInterface({ input: process.stdin, output: process.stdout });
const agent = new Agent({
  initialState: { tools: [deleteFile] },
  // A script replaces the model here. Remove this line and set a model to use a real one.
  streamFn: createScriptedStreamFn([
    fauxAssistantMessage(fauxToolCall("delete_file", { path: "old.log" }), { stopReason: "toolUse" }),
    fauxAssistantMessage("As you wish."),
  ]),
  // Called for each tool call in order, before the first tool of the turn runs.
  beforeToolCall: async ({ toolCall, args }, signal) => {
    if (HARMLESS.has(toolCall.name)) return undefined;
    const question = `Run ${toolCall.name} with ${JSON.stringify(args)}? [y/n] `;
    const reply = await terminal.question(question, signal ? { signal } : {});
    if (/^y/i.test(reply)) return undefined;
    // The model reads the reason, so say what it should do next.
    return { block: true, reason: "The user declined. Do not try again; ask what to do instead." };
  },
});

await agent.prompt("Delete old.log");
terminal.close();
const result = agent.state.messages.find((message) => message.role === "toolResult");
console.log(result?.isError ? "declined:" : "approved:", result?.content);
