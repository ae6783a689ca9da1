/** The agents that tools run, each in a session of its own. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, type AnyAgentTool } from "pi-agent";
import { agentTool } from "pi-agent/limits";
import { jsonlSessions, type SessionStore } from "pi-agent/session";
import { fauxAssistantMessage, fauxToolCall, Type } from "pi-ai";
import { createScriptedStreamFn } from "pi-ai/testing";
import { afterEach, beforeEach, expect, test } from "vitest";

let folder: string;
let sessions: SessionStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "child-sessions-"));
  sessions = jsonlSessions(folder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

type Steps = Parameters<typeof createScriptedStreamFn>[0];
const createAgent = (steps: Steps, tools: AnyAgentTool[] = []): Agent =>
  new Agent({ streamFn: createScriptedStreamFn(steps), initialState: { tools } });

const runs = (create: () => Agent): AnyAgentTool =>
  agentTool({ name: "run", description: "Runs an agent", parameters: Type.Object({}), agent: create });

const callRun = (...ids: string[]) =>
  fauxAssistantMessage(
    ids.map((id) => fauxToolCall("run", {}, { id })),
    { stopReason: "toolUse" },
  );

async function runLogged(agent: Agent): Promise<boolean[]> {
  const onError = (error: unknown): void => expect.unreachable(String(error));
  const session = await sessions.open("chat", { children: true, onError });
  agent.middleware = [...(agent.middleware ?? []), session];
  await agent.prompt("Go.");
  await session.close();
  return agent.state.messages.flatMap((message) => (message.role === "toolResult" ? message.isError : []));
}

test("a call whose id was there before keeps what the earlier one said", async () => {
  const texts = ["One.", "Two.", "Three."];
  const tool = runs(() => createAgent([fauxAssistantMessage(texts.shift() ?? "")]));
  const agent = createAgent([...[1, 2, 3].map(() => callRun("call_0")), fauxAssistantMessage("Done.")], [tool]);
  expect(await runLogged(agent)).toEqual([false, false, false]);
  const child = await sessions.load("chat.call_0");
  const said = [...(child?.replaced ?? []), ...(child ? [child] : [])].map(({ messages }) => messages.at(-1));
  expect(said).toMatchObject(["One.", "Two.", "Three."].map((text) => ({ content: [{ text }] })));
});

test("a call that runs again may run its agent again", async () => {
  const tool = runs(() => createAgent([fauxAssistantMessage("Said.")]));
  const agent = createAgent([callRun("call_0"), fauxAssistantMessage("Done.")], [tool]);
  agent.wrapToolCall = async (_call, execute) => {
    await execute();
    return execute();
  };
  expect(await runLogged(agent)).toEqual([false]);
  expect((await sessions.load("chat.call_0"))?.replaced).toHaveLength(1);
});

test("agents of agents that call with the same ids at the same time have sessions of their own", async () => {
  const inner = runs(() => createAgent([fauxAssistantMessage("Said.")]));
  const outer = runs(() => createAgent([callRun("call_0"), fauxAssistantMessage("Asked.")], [inner]));
  const agent = createAgent([callRun("call_0", "call_1"), fauxAssistantMessage("Done.")], [outer]);
  expect(await runLogged(agent)).toEqual([false, false]);
  const stored = await Promise.all((await sessions.list()).map(({ id }) => sessions.load(id)));
  expect(stored.map((one) => one?.messages.length).sort()).toEqual([2, 2, 4, 4, 5]);
});
