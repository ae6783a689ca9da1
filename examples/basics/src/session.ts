/** A conversation that survives the process: it is logged while it happens and restored later. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent } from "pi-agent";
import { createSessionLog, loadSession } from "pi-agent/session";
import { fauxAssistantMessage, registerFauxProvider } from "pi-ai/testing";

const folder = await mkdtemp(join(tmpdir(), "pi-session-"));
const file = join(folder, "chat.jsonl");
const faux = registerFauxProvider();
faux.setResponses([
  fauxAssistantMessage("Nice to meet you, Ada."),
  (context) => fauxAssistantMessage(`You are Ada; you said so ${context.messages.length - 1} messages ago.`),
]);
const model = faux.getModel();

// The first process.
const firstLog = await createSessionLog(file);
const first = new Agent({ initialState: { model }, middleware: [firstLog] });
await first.prompt("I am Ada.");
await firstLog.close();

// A later process.
const { messages, interrupted, notices } = await loadSession(file);
console.log(`${messages.length} messages, ${interrupted ? "cut off" : "complete"}`, ...notices);
const secondLog = await createSessionLog(file);
const second = new Agent({ initialState: { model, messages }, middleware: [secondLog] });
// After a crash in mid-run, `continue()` resumes the run.
if (interrupted) await second.continue();
await second.prompt("Who am I?");
await secondLog.close();

const last = second.state.messages.at(-1);
if (last?.role === "assistant") for (const block of last.content) if (block.type === "text") console.log(block.text);
await rm(folder, { recursive: true });
