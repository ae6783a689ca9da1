/** A wrong argument of a store, a page or an answer throws where it is written, and what a program forgot to take apart is named. */
import { Agent, defineTool, type PauseAnswer } from "pi-agent";
import { agUiResponse, readAgUiAnswers } from "pi-agent/ag-ui";
import { answerRequests, approvals, declineRequests, pendingRequests } from "pi-agent/approvals";
import { createBlockChunker } from "pi-agent/embed";
import { createMemoryEventStore, stopRun } from "pi-agent/event-store";
import { createPostgresEventStore } from "pi-agent/event-store/postgres";
import { createRedisEventStore } from "pi-agent/event-store/redis";
import { mcpTools } from "pi-agent/mcp";
import { postgresSessions } from "pi-agent/session/postgres";
import { sqliteSessions } from "pi-agent/session/sqlite";
import { createRunResponse } from "pi-agent/sse";
import { applyRunEvent, readRun } from "pi-agent/sse/client";
import { Type } from "pi-ai";
import { createScriptedStreamFn, fauxToolCall } from "pi-ai/testing";
import { expect, test } from "vitest";
import { MODEL } from "./scripted-stream.js";

/** Values as plain JavaScript passes them. */
const untyped = (value: unknown): never => value as never;

const store = createMemoryEventStore<never>();
const agent = (): Agent => new Agent({ streamFn: createScriptedStreamFn(["Hi"]), initialState: { model: MODEL } });
const withTool = (fields: object): unknown =>
  defineTool(untyped({ name: "look", description: "", parameters: Type.Object({}), execute: () => "", ...fields }));

test.each<[title: string, call: () => unknown, text: string]>([
  [
    "an address as a request",
    () => createRunResponse(store, "r", { request: untyped("http://a.test") }),
    'request must be an object, not "http://a.test"',
  ],
  [
    "a request as options",
    () => createRunResponse(store, "r", untyped(new Request("http://a.test"))),
    "The options must be an object of options, not an object",
  ],
  [
    "a store of files that is none",
    () => sqliteSessions(untyped(undefined)),
    'The database of sqliteSessions must be a path such as "chats.db", or an open database, not undefined',
  ],
  [
    "an address of PostgreSQL",
    () => postgresSessions(untyped("postgres://a")),
    "The client of PostgreSQL must be a pool or client of pg, or an instance of postgres, not",
  ],
  ["no client of PostgreSQL", () => createPostgresEventStore(untyped(undefined)), "The client of PostgreSQL must be"],
  [
    "no client of Redis",
    () => createRedisEventStore(untyped(undefined)),
    "The client of Redis must be one of ioredis or redis, not undefined",
  ],
  [
    "an event with its offset",
    () => applyRunEvent({ messages: [] }, untyped([1, { type: "agent_start" }])),
    "readRun yields [offset, event]. Pass the event",
  ],
  [
    "an option of blocks",
    () => createBlockChunker(untyped({ minChar: 5 })),
    'Unknown option "minChar": did you mean "minChars"?',
  ],
  [
    "a size as text",
    () => createBlockChunker({ minChars: untyped("5") }),
    'minChars must be a whole number of 0 or more, or Infinity, not "5"',
  ],
  [
    "a way to send",
    () => agent().send("Hi", untyped({ whilerunning: "steer" })),
    'Unknown option "whilerunning": did you mean "whileRunning"?',
  ],
  [
    "a text as a way to send",
    () => agent().send("Hi", untyped("steer")),
    'The options must be an object of options, not "steer"',
  ],
  [
    "an agent instead of its messages",
    () => pendingRequests(untyped(agent())),
    "messages must be a list, not an object",
  ],
  [
    "an object as a reason",
    () => declineRequests([], untyped({ reason: "no" })),
    "reason must be a string, not an object",
  ],
  [
    "a run of AG-UI without its ids",
    () => agUiResponse(agent(), untyped({})),
    "threadId must be a string, not undefined",
  ],
  ["an answer to no interrupt", () => readAgUiAnswers([{ id: "a" }]), "resume.0 has no interruptId"],
  [
    "a promise in the list of tools",
    () => new Agent({ initialState: { tools: [untyped(Promise.resolve([]))] } }),
    "tools[0] must be a tool, but it is a promise: await it.",
  ],
  [
    "an order of tools",
    () => withTool({ executionMode: "serial" }),
    'executionMode of tool "look" must be one of "parallel", "sequential", not "serial"',
  ],
  ["a repetition", () => withTool({ replay: true }), 'replay of tool "look" must be one of "safe", "never", not true'],
  [
    "a strictness",
    () => withTool({ strict: true }),
    'strict of tool "look" must be one of false, "prefer", "require", not true',
  ],
  [
    "a way to load",
    () => withTool({ loading: "defered" }),
    'loading of tool "look" must be one of "deferred", not "defered"',
  ],
])("%s", (_title, call, text) => {
  expect(call).toThrow(text);
});

test.each<[title: string, call: () => Promise<unknown>, text: string]>([
  [
    "a message alone",
    () => sqliteSessions(":memory:").append("a", untyped({ role: "user", content: "Hi" })),
    "messages must be a list, not an object",
  ],
  [
    "a message without a role",
    () => sqliteSessions(":memory:").append("a", [untyped({ text: "Hi" })]),
    "messages[0].role must be a string, not undefined",
  ],
  [
    "an option of a list",
    () => sqliteSessions(":memory:").list(untyped({ limt: 1 })),
    'Unknown option "limt": did you mean "limit"?',
  ],
  [
    "a limit as text",
    () => sqliteSessions(":memory:").list({ limit: untyped("x") }),
    'limit must be a whole number of 0 or more, or Infinity, not "x"',
  ],
  [
    "an option of a load",
    () => sqliteSessions(":memory:").load("a", untyped({ stric: true })),
    'Unknown option "stric": did you mean "strict"?',
  ],
  [
    "an option of answers",
    () => answerRequests([], [], untyped({ verfy: () => {} })),
    'Unknown option "verfy": did you mean "verify"?',
  ],
  ["no run to stop", () => stopRun(store, untyped(undefined)), "stopRun needs the id of a run, not undefined"],
  ["no messages to answer in", () => answerRequests(untyped(undefined), []), "messages must be a list, not undefined"],
  [
    "an option of a reader",
    () => readRun("http://a.test", untyped({ header: {} })).next(),
    'readRun has no option "header". The options are lastEventId, headers',
  ],
  ["an address that a server cannot read", () => readRun("/runs/1").next(), "Failed to parse URL"],
])("%s, at once", async (_title, call, text) => {
  await expect(call()).rejects.toThrow(text);
});

test("a field of middleware that differs in its spelling ends the run with its name", async () => {
  const middleware = [untyped({ name: "mine", inherits: true, begin: () => ({}) })];
  const { errorMessage } = await new Agent({ streamFn: createScriptedStreamFn(["Hi"]), middleware }).prompt("Hi");
  expect(errorMessage).toBe('The middleware "mine" has the field "inherits": did you mean "inherit"?');
});

test("an approval with arguments under another name does not let the call run", async () => {
  const paid: number[] = [];
  const pay = defineTool({
    name: "pay",
    description: "",
    parameters: Type.Object({ euros: Type.Number() }),
    execute: (_id, { euros }) => void paid.push(euros),
  });
  const asking = new Agent({
    streamFn: createScriptedStreamFn([fauxToolCall("pay", { euros: 1 }), "Done."]),
    initialState: { model: MODEL, tools: [pay] },
    middleware: [approvals({ when: () => true, pause: true })],
  });
  await asking.prompt("Pay.");
  const [{ id } = { id: "" }] = asking.state.pause?.requests ?? [];
  const answer: PauseAnswer = untyped({ id, approved: true, args: { euros: 2 } });
  await expect(asking.answer([answer])).rejects.toThrow("`args` is no field of an answer: write `arguments`");
  await asking.answer([{ id, approved: true, arguments: { euros: 2 } }]);
  await asking.continue();
  expect(paid).toEqual([2]);
});

test("a second tool of one name of an MCP server is reported", async () => {
  const skipped: string[] = [];
  const inputSchema = { type: "object" as const };
  const client = untyped({
    listTools: async () => ({
      tools: [
        { name: "a", description: "one", inputSchema },
        { name: "a", inputSchema },
      ],
    }),
    callTool: async () => ({ content: [] }),
  });
  const tools = await mcpTools(client, { onSkipped: ({ name }, reason) => skipped.push(`${name}: ${reason}`) });
  expect(tools.map(({ description }) => description)).toEqual(["one"]);
  expect(skipped).toEqual(["a: Another tool of the server has this name, and is used"]);
});
