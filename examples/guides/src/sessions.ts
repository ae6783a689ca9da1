/** Conversations that outlive the process: continued, listed and branched. In SQLite, or in PostgreSQL if there is one. */
import pg from "pg";
import { Agent } from "pi-agent";
import { postgresSessions } from "pi-agent/session/postgres";
import { sqliteSessions } from "pi-agent/session/sqlite";
import { getModel } from "pi-ai";

const connectionString = process.env["DATABASE_URL"];
const pool = connectionString ? new pg.Pool({ connectionString }) : undefined;
const sessions = pool ? postgresSessions(pool) : sqliteSessions(process.env["SESSIONS_FILE"] ?? "sessions.db");

/** Continues a conversation, or begins one. */
async function ask(id: string, prompt: string): Promise<void> {
  // Throws if another process has the session open. If one takes it over later, the run ends with an error.
  const session = await sessions.open(id);
  const model = getModel("anthropic", "claude-sonnet-5-5");
  const agent = new Agent({ initialState: { model, messages: session.messages }, middleware: [session] });
  try {
    // After a crash in mid-run, the run comes first.
    await agent.resume();
    await agent.prompt(prompt);
  } finally {
    await session.close();
  }
}

await ask("rivers", "Name three rivers.");
await ask("rivers", "Which is the longest?");
// The same beginning, with another question.
const branch = await sessions.branch("rivers", { at: 2 });
await ask(branch, "Which is the shortest?");

for (const { id, from } of await sessions.list({ limit: 10 })) {
  const count = (await sessions.load(id))?.messages.length;
  console.log(`${count} messages${from ? `, branched from ${from.id} after ${from.messages}` : ` in ${id}`}`);
}
await sessions.close();
await pool?.end();
