/** A conversation that survives the process: it is logged while it happens and restored later. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent } from "pi-agent";
import { jsonlSessions } from "pi-agent/session";
import { fauxAssistantMessage, registerFauxProvider } from "pi-ai/testing";

const folder = await mkdtemp(join(tmpdir(), "pi-session-"));
const sessions = jsonlSessions(folder);
const faux = registerFauxProvider();
faux.setResponses([
  fauxAssistantMessage("Nice to meet you, Ada."),
  (context) => fauxAssistantMessage(`You are Ada; you said so ${context.messages.length - 1} messages ago.`),
]);
const model = faux.getModel();

// The first process.
const begun = await sessions.open("chat");
const first = new Agent({ initialState: { model, messages: begun.messages }, middleware: [begun] });
await first.prompt("I am Ada.");
await begun.close();

// A later process.
const session = await sessions.open("chat");
const { messages, interrupted, notices } = session;
console.log(`${messages.length} messages, ${interrupted ? "cut off" : "complete"}`, ...notices);
const second = new Agent({ initialState: { model, messages }, middleware: [session] });
// After a crash in mid-run, it goes on with the run.
await second.resume();
await second.prompt("Who am I?");
await session.close();

const last = second.state.messages.at(-1);
if (last?.role === "assistant") for (const block of last.content) if (block.type === "text") console.log(block.text);
await rm(folder, { recursive: true });
