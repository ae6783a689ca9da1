/** Asks about a PDF file: `node pdf.ts FILE`. */
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { Agent } from "pi-agent";
import { type FileContent, getModel, type TextContent } from "pi-ai";

const [path] = process.argv.slice(2);
if (!path) throw new Error("Which file? node pdf.ts FILE");

const file: FileContent = {
  type: "file",
  mimeType: "application/pdf",
  name: basename(path),
  data: await readFile(path, "base64"),
  cache: "short", // the next questions read it from the provider's cache
};
const question: TextContent = { type: "text", text: "What is this document about, and who signed it?" };

const agent = new Agent({ initialState: { model: getModel("anthropic", "claude-sonnet-5-5") } });
await agent.prompt({ role: "user", content: [file, question], timestamp: Date.now() });
await agent.prompt("And on which date?"); // the file is still part of the conversation

if (agent.state.errorMessage) throw new Error(agent.state.errorMessage);
for (const message of agent.state.messages) {
  if (message.role !== "assistant") continue;
  for (const block of message.content) {
    if (block.type !== "text") continue;
    console.log(block.text);
    for (const { quote, title } of block.citations ?? []) console.log(`  "${quote}" (${title})`);
  }
}
