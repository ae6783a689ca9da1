/**
 * A server that keeps the conversations itself, in the folder `FOLDER`, and takes from the page only answers and the last
 * message. It serves the page of examples/use-chat on `PORT`, and prints what it pays.
 */
import { Agent, AnswerError, defineTool } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { jsonlSessions } from "pi-agent/session";
import { fromUIMessages, readUIApprovals, uiMessageResponse } from "pi-agent/ui-stream";
import { Type } from "pi-ai";
import { serve } from "../../examples/use-chat/src/server.ts";
import { createFauxModel } from "../../examples/web-chat/src/faux-model.ts";

// biome-ignore-start lint/style/noProcessEnv: the settings of this program.
const { FOLDER = "", PORT } = process.env;
// biome-ignore-end lint/style/noProcessEnv: as above.

const sessions = jsonlSessions(FOLDER);
const model = createFauxModel(Number.POSITIVE_INFINITY);
const pay = defineTool({
  name: "pay",
  description: "Pays a sum",
  parameters: Type.Object({ euros: Type.Number() }),
  execute: async (_id, { euros }) => {
    process.stdout.write(`Paid ${euros} euros\n`);
    return `Paid ${euros} euros.`;
  },
});

async function POST(request: Request, visitor: string): Promise<Response> {
  const { id, messages } = await request.json();
  const { messages: stored = [] } = (await sessions.load(`${visitor}.${id}`)) ?? {};
  const log = await sessions.log(`${visitor}.${id}`);
  const agent = new Agent({
    initialState: { model, tools: [pay], messages: stored },
    middleware: [log, approvals({ pause: true })],
    onNewMessage: "decline",
  });
  const answers = readUIApprovals(messages);
  const [message] = fromUIMessages(messages.slice(-1));
  const run = () => (answers.length > 0 || !message ? agent.continue() : agent.prompt(message));
  try {
    await agent.answer(answers);
  } catch (error) {
    await log.close();
    if (error instanceof AnswerError) return new Response(error.message, { status: 409 });
    throw error;
  }
  return uiMessageResponse(agent, { request, run: () => run().finally(() => log.close()) });
}

const nothing = async (): Promise<Response> => new Response(null, { status: 204 });
const { url } = await serve({ POST, GET: nothing, DELETE: nothing }, Number(PORT));
process.stdout.write(`Open ${url}\n`);
