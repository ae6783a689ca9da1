/** Mistakes of an application that had no effect, or said nothing: each throws where it is written, or is told by the run. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, type AgentOptions, type AnyAgentTool, defineTool } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { compact } from "pi-agent/compact";
import { durable } from "pi-agent/durable";
import { answerApproval, sessionSteps } from "pi-agent/durable/session";
import { createSessionLog, jsonlSessions, loadSession } from "pi-agent/session";
import { Type } from "pi-ai";
import { createScriptedStreamFn, fauxToolCall } from "pi-ai/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

/** For what TypeScript refuses. */
const untyped = (value: unknown): never => value as never;
const look = defineTool({ name: "look", description: "Looks", parameters: Type.Object({}), execute: () => "seen" });

test.each<[options: unknown, text: string]>([
  [{ initialState: { model: "gpt" } }, 'it is the string "gpt". Write getModel(provider, "gpt").'],
  [{ initialState: { output: { schema: {}, maxRepair: 2 } } }, 'did you mean "initialState.output.maxRepairs"?'],
  [{ thinkingBudgets: { hgh: 5 } }, 'Unknown option "thinkingBudgets.hgh": did you mean "thinkingBudgets.high"?'],
  [{ thinkingBudgets: { high: "5" } }, "thinkingBudgets.high must be a whole number of 0 or more, or Infinity"],
  [{ streamOptions: { model: {} } }, "Write new Agent({ initialState: { model } })."],
  [{ streamOptions: { systemPrompt: "x" } }, "Write new Agent({ initialState: { systemPrompt } })."],
  [{ streamOptions: { maxTurns: 3 } }, "Write new Agent({ maxTurns })."],
  [{ streamOptions: { signal: AbortSignal.abort() } }, "signal is not an option of a request. Write agent.abort()."],
  [{ middleware: [approvals({ when: () => true })] }, "approvals needs `ask`, `pause: true`, or a durable run"],
])("an agent with %j is refused", (options, text) => {
  expect(() => new Agent(untyped(options))).toThrow(text);
});

test.each<[tool: object, text: string]>([
  [{ description: undefined }, 'Tool "look" has no description. Write what it does: the model chooses by it.'],
  [{ parameters: undefined, inputSchema: {} }, 'the unknown field "inputSchema": did you mean "parameters"?'],
  [{ needsApproval: true }, 'the unknown field "needsApproval": did you mean "approvals of pi-agent/approvals"?'],
  [{ requireApproval: true }, 'the unknown field "requireApproval": did you mean "approvals of pi-agent/approvals"?'],
  [{ timeout: 5 }, 'Tool "look" has the unknown field "timeout": did you mean "toolTimeoutMs"?'],
  [{ prepareArguments: "x" }, 'prepareArguments of tool "look" must be a function, not "x"'],
])("a tool with %j is refused", (fields, text) => {
  const tools = [{ ...look, ...fields } as AnyAgentTool];
  expect(() => new Agent({ initialState: { tools } })).toThrow(text);
});

test("a model that is a text is refused when it is assigned", () => {
  const agent = new Agent();
  expect(() => Object.assign(agent.state, { model: "openai/gpt" })).toThrow('Write getModel("openai", "gpt").');
});

/** The text of the call's result, or of the run's error. */
async function run(options: AgentOptions): Promise<string | undefined> {
  const streamFn = createScriptedStreamFn([fauxToolCall("look", {}), "end"]);
  const agent = new Agent({ streamFn, initialState: { tools: [look] }, ...options });
  const { errorMessage } = await agent.prompt("Hi");
  const result = agent.state.messages.find((message) => message.role === "toolResult");
  return errorMessage ?? JSON.stringify(result?.content);
}

describe("what a hook returns", () => {
  test.each<[options: unknown, text: string]>([
    [{ beforeToolCall: () => "no" }, "beforeToolCall returned a text. Return nothing or { block, reason }"],
    [{ afterToolCall: () => "removed" }, "afterToolCall returned a text. Return nothing or { content,"],
    [{ afterToolCall: () => [{ type: "text", text: "x" }] }, "afterToolCall returned a list. Return nothing or"],
    [{ prepareNextTurn: () => ({ systemPromt: "x" }) }, 'prepareNextTurn returned the unknown field "systemPromt".'],
    [{ prepareNextTurn: () => "x" }, "prepareNextTurn returned a text. Return nothing or { context, model,"],
    [{ now: () => new Date(0) }, "now must be a function that returns Unix milliseconds, not an object"],
    [{ now: () => Number.NaN }, "now must be a function that returns Unix milliseconds, not NaN"],
  ])("is told: %o", async (options, text) => {
    expect(await run(options as AgentOptions).catch(String)).toContain(text);
  });

  test.each([undefined, null, 5, new Map()])("may be %o, which no hook means", async (value) => {
    const hooks = { afterToolCall: () => value, beforeToolCall: () => value, prepareNextTurn: () => value };
    expect(await run(untyped(hooks))).toContain("seen");
  });
});

test.each([
  [{ role: "human", content: "x" }, 'context.messages[0] has the role "human". Write "user".'],
  ["x", 'context.messages[0] must be a message, but it is "x".'],
])("a message that was pushed, and that no model would read, ends the run: %j", async (message, text) => {
  const agent = new Agent({ streamFn: createScriptedStreamFn(["Hello"]) });
  agent.state.messages.push(untyped(message));
  expect((await agent.prompt("Hi")).errorMessage).toBe(text);
});

test("a response as a prompt has a list of blocks", async () => {
  const agent = new Agent({ streamFn: createScriptedStreamFn(["Hello"]) });
  const prompt = agent.prompt(untyped({ role: "assistant", content: "x" }));
  await expect(prompt).rejects.toThrow('message.content must be a list of blocks, not "x"');
});

test("a share in place of a number of tokens is refused", () => {
  expect(() => compact({ keep: 0.5 })).toThrow("keep must be a number of tokens, not 0.5");
  expect(compact({ keep: 0 }).name).toBe("compact");
});

describe("files", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "said-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  test.each<[call: (path: never) => unknown, name: string]>([
    [(path) => jsonlSessions(path), "The folder of jsonlSessions"],
    [(path) => createSessionLog(path), "The file of createSessionLog"],
    [(path) => loadSession(path), "The file of loadSession"],
    [(path) => sessionSteps(path), "The file of sessionSteps"],
    [(path) => answerApproval(path, "a", { approved: true }), "The file of answerApproval"],
  ])("%o needs a path", async (call, name) => {
    for (const path of [undefined, "", {}])
      await expect((async () => call(untyped(path)))()).rejects.toThrow(`${name} must be a path such as "./sessions"`);
  });

  test("an answer that says neither yes nor no is refused, and so are unknown options", async () => {
    const file = join(folder, "run.jsonl");
    await expect(sessionSteps(file, untyped({ id: "x" }))).rejects.toThrow('Unknown option "id"');
    const engine = await sessionSteps(file);
    for (const answer of [true, undefined, { approve: true }, { approved: "true" }])
      await expect(answerApproval(file, "approval:1.1", untyped(answer))).rejects.toThrow(
        "The answer must be { approved:",
      );
    await expect(answerApproval(file, untyped(undefined), { approved: true })).rejects.toThrow("must be a string");
    // An engine that waits needs no other way to ask.
    const middleware = [approvals({ when: () => true })];
    expect(new Agent({ steps: durable(engine), middleware }).middleware).toBe(middleware);
    await engine.close();
  });
});
