/** The agent notes in the transcript how its prompt, its tools and its level change between requests. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, type AgentTool } from "pi-agent";
import { mcpTools } from "pi-agent/mcp";
import { jsonlSessions } from "pi-agent/session";
import { type Context, getCurrentSystemPrompt, getCurrentTools, type Message, type SystemMessage, Type } from "pi-ai";
import { createScriptedStreamFn, fauxAssistantMessage, fauxToolCall } from "pi-ai/testing";
import { expect, onTestFinished, test } from "vitest";
import { createClient, toolInfo } from "./mcp-client.js";

function createTool(name: string, parameters = Type.Object({})): AgentTool {
  const execute = async () => ({ content: [{ type: "text" as const, text: "done" }], details: {} });
  return { name, label: name, description: `The tool ${name}`, parameters, execute };
}

const READ = createTool("read");
const WRITE = createTool("write");

function createAgent(texts: readonly string[], messages: Message[] = []) {
  const streamFn = createScriptedStreamFn(texts.map((text) => fauxAssistantMessage(text)));
  const initialState = { systemPrompt: "You help.", tools: [READ], messages };
  return { agent: new Agent({ streamFn, initialState }), streamFn };
}

const rolesOf = (messages: readonly { role: string }[]) => messages.map(({ role }) => role).join(" ");
const notesIn = (agent: Agent) =>
  agent.state.messages.filter((message): message is SystemMessage => message.role === "system");
const contextOf = ({ calls }: { calls: readonly { context: Context }[] }) => calls.at(-1)?.context;

test("without a change the transcript has no system message", async () => {
  const { agent, streamFn } = createAgent(["a", "b"]);
  await agent.prompt("One");
  await agent.prompt("Two");
  expect(rolesOf(agent.state.messages)).toBe("user assistant user assistant");
  expect(contextOf(streamFn)).toMatchObject({ systemPrompt: "You help.", tools: [{ name: "read" }] });
});

test("a change before the first response is none", async () => {
  const { agent } = createAgent(["a"]);
  agent.state.systemPrompt = "You test.";
  agent.state.tools = [WRITE];
  await agent.prompt("One");
  expect(rolesOf(agent.state.messages)).toBe("user assistant");
});

test("one message holds all changes, and the first of them what held before", async () => {
  const { agent, streamFn } = createAgent(["a", "b", "c"]);
  const events: string[] = [];
  await agent.prompt("One");
  agent.subscribe((event) => {
    if (event.type === "message_end") events.push(event.message.role);
  });
  agent.state.systemPrompt = "You help.\n\nBe brief.";
  agent.state.tools = [WRITE];
  agent.state.thinkingLevel = "high";
  await agent.prompt("Two");
  expect(events).toEqual(["user", "system", "assistant"]);
  expect(notesIn(agent)).toMatchObject([
    {
      content: "",
      origin: "agent",
      base: { systemPrompt: "You help.", tools: [{ name: "read" }], thinkingLevel: "off" },
      systemPrompt: "You help.\n\nBe brief.",
      toolsAdded: [{ name: "write" }],
      toolsRemoved: [{ name: "read" }],
      thinkingLevel: "high",
    },
  ]);
  agent.state.thinkingLevel = "low";
  await agent.prompt("Three");
  const [, second] = notesIn(agent);
  expect(second).toEqual({
    role: "system",
    content: "",
    thinkingLevel: "low",
    timestamp: second?.timestamp,
    origin: "agent",
  });
  expect(getCurrentSystemPrompt(agent.state.messages)).toBe("You help.\n\nBe brief.");
  expect(getCurrentTools(agent.state.messages).map(({ name }) => name)).toEqual(["write"]);
  // A stream function reads what holds now, as before.
  expect(contextOf(streamFn)).toMatchObject({ systemPrompt: "You help.\n\nBe brief.", tools: [{ name: "write" }] });
});

test("a change in the middle of a run comes after the results of its tools", async () => {
  const call = fauxAssistantMessage([fauxToolCall("read", {}, { id: "1" })], { stopReason: "toolUse" });
  const streamFn = createScriptedStreamFn([call, fauxAssistantMessage("Done")]);
  const agent = new Agent({
    streamFn,
    initialState: { tools: [READ] },
    prepareNextTurn: ({ context }) => ({ context: { ...context, tools: [READ, WRITE] } }),
  });
  await agent.prompt("Go");
  expect(rolesOf(agent.state.messages)).toBe("user assistant toolResult system assistant");
});

test("a transcript that was stored goes on from what its notes say", async () => {
  const { agent } = createAgent(["a", "b"]);
  await agent.prompt("One");
  agent.state.tools = [READ, WRITE];
  await agent.prompt("Two");
  const stored = JSON.parse(JSON.stringify(agent.state.messages));
  const same = createAgent(["c"], structuredClone(stored)).agent;
  same.state.tools = [READ, WRITE];
  await same.prompt("Three");
  expect(notesIn(same)).toHaveLength(1);
  const other = createAgent(["c"], structuredClone(stored)).agent;
  await other.prompt("Three");
  expect(notesIn(other)[1]).toMatchObject({ toolsRemoved: [{ name: "write" }] });
  expect(notesIn(other)[1]?.base).toBeUndefined();
});

test("a change beside an interrupted response is noted by the next request of the same run", async () => {
  const { agent } = createAgent(["a", "b"]);
  await agent.prompt("One");
  agent.state.systemPrompt = "You test.";
  await agent.prompt("Two");
  const interrupted = fauxAssistantMessage("Half", { stopReason: "pause" });
  const messages = [...(agent.state.messages as Message[]), { ...interrupted, timestamp: 1 }];
  const next = createAgent(["the rest", "c"], messages).agent;
  next.followUp("Three");
  await next.continue();
  expect(rolesOf(next.state.messages.slice(messages.length))).toBe("assistant user system assistant");
  expect(notesIn(next)[1]).toMatchObject({ systemPrompt: "You help." });
});

test("another conversation of the same agent was told nothing", async () => {
  const { agent } = createAgent(["a", "b"]);
  await agent.prompt("One");
  agent.state.messages = [{ role: "user", content: "Old", timestamp: 1 }, fauxAssistantMessage("Answer")];
  agent.state.systemPrompt = "You test.";
  await agent.prompt("Two");
  expect(notesIn(agent)).toEqual([]);
});

test("instructions of the application in the list count as a change of the prompt", async () => {
  const { agent, streamFn } = createAgent(["a", "b"]);
  await agent.prompt("One");
  agent.state.messages.push({ role: "system", content: "Be brief.", timestamp: 1 });
  await agent.prompt("Two");
  expect(notesIn(agent)[1]).toMatchObject({ systemPrompt: "You help.\n\nBe brief." });
  expect(contextOf(streamFn)?.systemPrompt).toBe("You help.\n\nBe brief.");
  expect(rolesOf(contextOf(streamFn)?.messages ?? [])).toBe("user assistant user system");
});

test("a transcript of pi 1.x states its prompt, and the agent its tools", async () => {
  const messages: Message[] = [
    { role: "system", content: "You help.", sections: { style: "Short." }, toolsAdded: [READ], timestamp: 0 },
    { role: "user", content: "Hi", timestamp: 1 },
    fauxAssistantMessage("Hello"),
    { role: "system", content: "", sections: { style: "Long." }, timestamp: 2 },
  ];
  const streamFn = createScriptedStreamFn(["a", "b"].map((text) => fauxAssistantMessage(text)));
  const agent = new Agent({ streamFn, initialState: { messages, tools: [WRITE] } });
  await agent.prompt("Go on");
  expect(contextOf(streamFn)).toMatchObject({ systemPrompt: "You help.\n\nLong.", tools: [{ name: "write" }] });
  agent.state.systemPrompt = "Now.";
  await agent.prompt("And on");
  expect(contextOf(streamFn)?.systemPrompt).toBe("Now.\n\nYou help.\n\nLong.");
  expect(notesIn(agent).at(-1)).toMatchObject({ systemPrompt: "Now.\n\nYou help.\n\nLong.", origin: "agent" });
});

test("a section of a stored transcript that is no text ends the run with its name, before anything is sent", async () => {
  const messages: Message[] = [
    { role: "user", content: "Hi", timestamp: 1 },
    { role: "system", content: "", sections: { rules: 7 as never }, timestamp: 2 },
  ];
  const streamFn = createScriptedStreamFn([fauxAssistantMessage("a")]);
  const agent = new Agent({ streamFn, initialState: { messages } });
  await agent.prompt("Go on");
  expect(agent.state.errorMessage).toBe('context.messages[1].sections["rules"] must be a text or null, but it is 7.');
  expect(streamFn.calls).toEqual([]);
});

test("a list of tools of an MCP server is noted when it differs, and not when it is only read again", async () => {
  const { agent } = createAgent(["a", "b", "c"]);
  const relist = async (...names: string[]): Promise<void> => {
    agent.state.tools = await mcpTools(createClient(names.map((name) => toolInfo(name, { description: name }))));
  };
  await relist("pay", "look");
  await agent.prompt("One");
  await relist("pay", "look");
  await agent.prompt("Two");
  expect(notesIn(agent)).toEqual([]);
  await relist("look", "ask");
  await agent.prompt("Three");
  expect(notesIn(agent)).toMatchObject([{ toolsAdded: [{ name: "ask" }], toolsRemoved: [{ name: "pay" }] }]);
});

test("a session log stores the notes, and an agent that resumes it goes on from them", async () => {
  const folder = await mkdtemp(join(tmpdir(), "noted-changes-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const sessions = jsonlSessions(folder);
  const open = async (texts: readonly string[], tools: AgentTool[]) => {
    const session = await sessions.open("a");
    const streamFn = createScriptedStreamFn(texts.map((text) => fauxAssistantMessage(text)));
    const initialState = { systemPrompt: "You help.", tools, messages: session.messages };
    return { session, streamFn, agent: new Agent({ streamFn, initialState, middleware: [session] }) };
  };
  const first = await open(["a", "b"], [READ]);
  await first.agent.prompt("One");
  first.agent.state.tools = [READ, WRITE];
  await first.agent.prompt("Two");
  await first.session.close();
  const second = await open(["c", "d"], [READ, WRITE]);
  await second.agent.resume();
  await second.agent.prompt("Three");
  expect(notesIn(second.agent)).toHaveLength(1);
  second.agent.state.systemPrompt = "You test.";
  await second.agent.prompt("Four");
  expect(notesIn(second.agent)[1]).toMatchObject({ systemPrompt: "You test.", origin: "agent" });
  await second.session.close();
  const stored = (await sessions.load("a"))?.messages ?? [];
  expect(stored).toEqual(second.agent.state.messages);
  expect(getCurrentSystemPrompt(stored)).toBe("You test.");
});
