import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, type AgentMiddleware } from "pi-agent";
import { Budget, limits } from "pi-agent/limits";
import { createSessionLog, loadSession } from "pi-agent/session";
import { expect, it, onTestFinished } from "vitest";
import { eventually } from "../../../../test/support/patience.js";
import {
  abortable,
  call,
  calls,
  MODEL,
  response,
  type Step,
  scripted,
  text,
} from "../../../agent/test/scripted-stream.js";
import { result, tool } from "../../../agent/test/scripted-tool.js";
import { watchAgent } from "../../test/support/watch-agent.internal.js";
import type { ForkOptions } from "../live/run-launcher.js";
import { readLines } from "../read/read-lines.js";
import { readSessionLog } from "../read/session-log.js";
import type { ForkRequest, Launcher } from "../record/launcher.js";
import type { Run } from "../record/run.js";
import { RunStore } from "../record/run-store.js";
import { draftFork, redactDraft } from "./fork-draft.js";
import { Forks } from "./forks.js";

/** Creates a finished run with two tool calls, and a function that drafts a fork of it at an entry. */
async function setUp(steps: Step[], options: ForkOptions = {}, middleware: readonly AgentMiddleware[] = []) {
  const executed: string[] = [];
  const run = (name: string) =>
    tool(name, async () => {
      executed.push(name);
      return result(`${name} ran ${executed.length}`);
    });
  const { streamFn, calls: sent } = scripted(calls("a", "b"), text("Both ran"), ...steps);
  const tools = [run("a"), run("b")];
  const agent = new Agent({ initialState: { model: MODEL, tools, systemPrompt: "Be brief" }, streamFn, middleware });
  const store = new RunStore();
  onTestFinished(watchAgent(agent, store, options));
  await agent.prompt("Use both");
  const forks = new Forks(store);
  const [original] = store.runs;
  if (!original) throw new Error("no run");
  const draft = (entry: number) => {
    const made = draftFork(original, entry);
    if (!made) throw new Error("no draft");
    return made;
  };
  return { agent, store, forks, original, draft, sent, executed };
}

const outline = ({ entries }: Run): string[] =>
  entries.map(({ kind, turn, title, inherited }) => `${inherited ? "inherited " : ""}${kind} ${turn}: ${title}`);

const settled = (run: Run): Promise<void> => eventually(() => expect(run.summary.outcome).not.toBe("running"));

it("sends the conversation with an edited result, and marks the entries before the fork as inherited", async () => {
  const { forks, original, draft, sent, store } = await setUp([text("Another end")]);
  expect(outline(original)).toEqual([
    "message 0: Use both",
    "request 1: [toolCall a] [toolCall b]",
    "tool 1: {}",
    "tool 1: {}",
    "request 2: Both ran",
  ]);
  const body = draft(3);
  expect(body.inputs).toMatchObject([
    { message: 2, role: "toolResult", name: "a", text: "a ran 1", isError: false },
    { message: 3, role: "toolResult", name: "b", text: "b ran 2", isError: false },
  ]);
  const inputs = [{ message: 3, text: "b failed", isError: true }];
  const run = forks.start(original, 3, { ...body, inputs, system: "Be long", thinking: "off" });
  await settled(run);
  expect(outline(run)).toEqual([
    "inherited message 0: Use both",
    "inherited request 1: [toolCall a] [toolCall b]",
    "tool 1: {}",
    "tool 1: {}",
    "request 2: Another end",
  ]);
  expect(run.summary).toMatchObject({
    id: "fork-1",
    outcome: "done",
    requests: 1,
    parent: { run: original.summary.id, entry: 3, turn: 2 },
    canFork: true,
  });
  expect(run.entries[3]).toMatchObject({ outcome: "error" });
  expect(sent[2]?.context.systemPrompt).toBe("Be long");
  expect(sent[2]?.context.messages.slice(2)).toMatchObject([
    { role: "toolResult", content: [{ text: "a ran 1" }], isError: false },
    { role: "toolResult", content: [{ text: "b failed" }], isError: true },
  ]);
  expect(original.summary).toMatchObject({ requests: 2, outcome: "done" });
  expect(store.runs).toHaveLength(2);
});

it("uses the recorded result of an equal call, and waits for a typed one for any other call", async () => {
  const again = response([call("x", "a"), call("y", "a", { other: 1 }), call("z", "b")]);
  const { forks, original, draft, sent, executed } = await setUp([again, text("End")]);
  const run = forks.start(original, 1, { ...draft(1), thinking: "off" });
  await eventually(() => expect(run.summary.waiting).toBe(1));
  expect(run.entries.slice(2).map(({ awaits, resultFrom }) => awaits?.call ?? resultFrom)).toEqual([
    "recording",
    "y",
    "recording",
  ]);
  expect(run.entries[3]?.awaits).toEqual({ call: "y", canRun: false });
  expect(() => forks.resolve("fork-1", "y", "run")).toThrow("The program cannot run this tool");
  forks.resolve("fork-1", "y", { text: "typed", isError: false });
  expect(() => forks.resolve("fork-1", "y", { text: "twice", isError: false })).toThrow("does not wait");
  await settled(run);
  expect(sent.at(-1)?.context.messages.slice(2)).toMatchObject([
    { toolCallId: "x", content: [{ text: "a ran 1" }] },
    { toolCallId: "y", content: [{ text: "typed" }] },
    { toolCallId: "z", content: [{ text: "b ran 2" }] },
  ]);
  expect(run.summary).toMatchObject({ waiting: 0, outcome: "done", requests: 2, tools: 3 });
  expect(executed).toEqual(["a", "b"]);
});

it("waits at every call in step mode, suggests the recorded result, and runs a tool when the user allows it", async () => {
  const { forks, original, draft, executed } = await setUp([calls("a"), text("End")], { runTools: true });
  const run = forks.start(original, 0, { ...draft(0), thinking: "off", step: true });
  await eventually(() => expect(run.summary.waiting).toBe(1));
  expect(run.entries[2]?.awaits).toEqual({ call: "1", canRun: true, recorded: "a ran 1" });
  forks.resolve(run.summary.id, "1", "run");
  await settled(run);
  expect(executed).toEqual(["a", "b", "a"]);
  expect(run.describe(2)).toContainEqual({ kind: "text", title: "Text", text: "a ran 3" });
  expect(run.entries[2]).toMatchObject({ resultFrom: "tool", outcome: "done" });
});

it("stops a fork at once while a call waits or a response streams", async () => {
  const aborted = text("Hal", { stopReason: "aborted", errorMessage: "stopped" });
  const { forks, original, draft } = await setUp([calls("c"), abortable([], aborted)]);
  const waiting = forks.start(original, 1, { ...draft(1), thinking: "off" });
  await eventually(() => expect(waiting.summary.waiting).toBe(1));
  forks.abort(waiting.summary.id);
  await settled(waiting);
  expect(waiting.summary).toMatchObject({ outcome: "aborted", waiting: 0 });
  const streaming = forks.start(original, 4, { ...draft(4), thinking: "off" });
  forks.close();
  await settled(streaming);
  expect(streaming.summary.outcome).toBe("aborted");
  expect(() => forks.abort(streaming.summary.id)).toThrow("not a running fork");
});

it("can fork a fork", async () => {
  const { forks, original, draft, sent } = await setUp([text("Second"), text("Third")]);
  const first = forks.start(original, 4, { ...draft(4), system: "New", thinking: "off" });
  await settled(first);
  const body = draftFork(first, 4);
  expect(body).toMatchObject({ system: "New", kept: 2 });
  const second = forks.start(first, 4, body);
  await settled(second);
  expect(second.summary).toMatchObject({ title: "Fork 2: Use both", parent: { run: "fork-1", turn: 2 } });
  expect(sent.at(-1)?.context).toMatchObject({ systemPrompt: "New" });
  expect(outline(second).at(-1)).toBe("request 2: Third");
  expect(second.copyTest?.().files["run.json"]).toContain("Third");
});

it("forks a run of a session log with tools derived from its calls", async () => {
  const args = { city: "Oslo", days: 2, list: [1], nothing: null };
  const messages = [
    { role: "user", content: "Hi", timestamp: 1 },
    response([call("1", "weather", args)]),
    { role: "toolResult", toolCallId: "1", toolName: "weather", content: [], isError: false, timestamp: 2 },
    text("Rain"),
  ];
  const lines = [{ type: "run_start", at: 1 }, ...messages.map((message) => ({ type: "message", message }))];
  const [original] = readSessionLog(readLines(lines.map((line) => JSON.stringify(line)).join("\n")), "log.jsonl");
  if (!original) throw new Error("no run");
  const sent: ForkRequest[] = [];
  const launcher: Launcher = {
    target: "nowhere",
    models: [],
    anyModel: true,
    send: async (request) => {
      sent.push(request);
      return { ...text("Sun") };
    },
    canRun: () => false,
    runTool: () => Promise.reject(new Error("no tools")),
  };
  const store = new RunStore({ launcher });
  store.add(original);
  const draft = draftFork(original, 2);
  expect(draft).toMatchObject({ toolsAreDerived: true, model: { provider: "test", id: MODEL.id }, thinking: "off" });
  const model = { provider: "other", id: "m/2" };
  const run = new Forks(store).start(original, 2, { ...draft, model });
  await settled(run);
  const schema = { city: { type: "string" }, days: { type: "number" }, list: { type: "array" }, nothing: {} };
  expect(sent).toMatchObject([{ model, tools: [{ name: "weather", parameters: { properties: schema } }] }]);
  expect(outline(run)).toEqual([
    "inherited message 0: Hi",
    "inherited request 1: [toolCall weather]",
    expect.stringMatching(/^tool 1: .*Oslo/),
    "request 2: Sun",
  ]);
});

it("shows no credential, and sends the original text where the user left it unchanged", async () => {
  const secret = "sk-ant-0123456789abcdefghij";
  const { agent, store, forks, sent } = await setUp([text("One"), text("Two")]);
  agent.state.systemPrompt = `Use ${secret}`;
  await agent.prompt(`My key is ${secret}`);
  const [, run] = store.runs;
  const draft = run && draftFork(run, 1);
  if (!run || !draft) throw new Error("no draft");
  const shown = redactDraft(draft);
  expect(JSON.stringify(shown)).not.toContain(secret);
  expect(shown.inputs).toMatchObject([{ text: "My key is [redacted]" }]);
  await settled(forks.start(run, 1, shown));
  expect(sent.at(-1)?.context.systemPrompt).toBe(`Use ${secret}`);
  expect(JSON.stringify(sent.at(-1)?.context.messages)).toContain(`My key is ${secret}`);
  await settled(forks.start(run, 1, { ...shown, system: "Use [redacted] well" }));
  expect(sent.at(-1)?.context.systemPrompt).toBe("Use [redacted] well");
});

it("refuses invalid changes and gives the reason", async () => {
  const { forks, original, draft, store } = await setUp([]);
  const body = { ...draft(3), thinking: "off" };
  const cases: [object, string][] = [
    [{ thinking: "much" }, "Thinking must be one of"],
    [{ system: { toString: "x" } }, "The system prompt must be text"],
    [{ model: { provider: "test", id: "other" } }, "The program does not offer the model test/other"],
    [{ model: [] }, "The model must have a provider and an id"],
    [{ tools: "{" }, "The tools are not JSON"],
    [{ tools: "{}" }, "The tools must be a JSON list"],
    [{ tools: '[{"name":"","parameters":{}}]' }, "Tool 1 has no name"],
    [{ tools: '[{"name":"a","parameters":[]}]' }, "The parameters of tool 1"],
    [{ inputs: [{ message: 0, text: "not here" }] }, "cannot be changed here"],
  ];
  for (const [change, words] of cases) expect(() => forks.start(original, 3, { ...body, ...change })).toThrow(words);
  expect(() => forks.start(original, 99, body)).toThrow("The run cannot be forked here");
  expect(store.runs).toHaveLength(1);
});

it("sends a fork through the middleware and the hooks of its run, and passes none of it on", async () => {
  const folder = await mkdtemp(join(tmpdir(), "forks-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const log = await createSessionLog(join(folder, "log.jsonl"));
  const ends: string[] = [];
  const redacting: AgentMiddleware = {
    name: "redacting",
    begin: () => ({
      transformContext: async (messages) =>
        messages.map((message) => (message.role === "user" ? { ...message, content: "redacted" } : message)),
      wrapToolCall: async () => result("from the hook"),
      end: () => void ends.push("redacting"),
    }),
  };
  const budget = new Budget({ turns: 4 });
  const { agent, store, forks, original, draft, sent } = await setUp(
    [calls("a"), text("End"), text("too many")],
    { runTools: true },
    [redacting, limits({ budget }), log],
  );
  const before = await loadSession(join(folder, "log.jsonl"));
  const run = forks.start(original, 0, { ...draft(0), thinking: "off", step: true });
  await eventually(() => expect(run.summary.waiting).toBe(1));
  forks.resolve(run.summary.id, "1", "run");
  await settled(run);
  expect(run.summary.outcome).toBe("done");
  expect(JSON.stringify(sent.slice(2).map(({ context }) => context.messages))).not.toContain("Use both");
  expect(run.describe(2)).toContainEqual({ kind: "text", title: "Text", text: "from the hook" });
  // The run's and the fork's.
  expect(ends).toHaveLength(2);
  expect(budget.used.turns).toBe(4);
  const refused = forks.start(original, 0, { ...draft(0), thinking: "off" });
  await settled(refused);
  expect(refused.summary.outcome).toBe("error");
  expect(sent).toHaveLength(4);
  expect(store.runs.map(({ summary }) => summary.source)).toEqual(["live", "fork", "fork"]);
  expect(agent.state.messages).toHaveLength(5);
  await log.close();
  expect((await loadSession(join(folder, "log.jsonl"))).messages).toEqual(before.messages);
});
