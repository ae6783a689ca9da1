/** A provider may choose any id of a call: it keeps its meaning, and no request of another call has its id. */
import { Agent, type AgentMessage, type AnyAgentTool } from "pi-agent";
import { agUiResponse, readAgUiAnswers } from "pi-agent/ag-ui";
import { approvals } from "pi-agent/approvals";
import { agentTool } from "pi-agent/limits";
import { fromUIMessages, toUIMessageStream } from "pi-agent/ui-stream";
import { type AssistantMessage, Type } from "pi-ai";
import { expect, test } from "vitest";
import { call, MODEL, response, scripted, text } from "./scripted-stream.js";
import { Page } from "./ui-stream/page.js";

const SECRET = "0123456789abcdef0123456789abcdef";
const ASKED = { role: "user", parts: [{ type: "text", text: "Pay." }] };
const IDS = [
  ..."! / ? ~ % . : | # ~2 !! c! c!! c/c! c?0.0 c~2 c% c%! signed.1.a.b __proto__ constructor toString".split(" "),
  ...[" ", "a b", "é\n\u0000", '"', "\u{1f600}", `signed.${"a".repeat(44)}.${"b".repeat(43)}.c`, "c".repeat(10_000)],
];

const ran: string[] = [];
const pay: AnyAgentTool = {
  ...{ name: "pay", description: "Pays", parameters: Type.Object({ euros: Type.Number() }) },
  execute: async (_id, { euros }: { euros: number }) => {
    ran.push(`pay ${euros}`);
    return "Paid";
  },
};
const quiz: AnyAgentTool = {
  ...{ name: "quiz", description: "Asks", parameters: Type.Object({}) },
  execute: async (_id, _args, _signal, _onUpdate, context) => {
    await context?.ask?.({ message: "Sure?" });
    ran.push("quiz");
    return "Asked";
  },
};
const signed = () => approvals({ when: ({ tool }) => tool.name === "pay", pause: true, secret: SECRET });

/** An agent of a tool, which wants to pay 9. */
const child = (id: string): AnyAgentTool =>
  agentTool({
    ...{ name: "run", description: "Runs an agent", parameters: Type.Object({}) },
    agent: async () =>
      new Agent({
        sessionId: "child",
        initialState: { model: MODEL, tools: [pay] },
        middleware: [signed()],
        streamFn: (model, context, options) => {
          const isDone = context.messages.some(({ role }) => role === "toolResult");
          const next = isDone ? text("Done.") : response([call(id, "pay", { euros: 9 })]);
          return scripted(next).streamFn(model, context, options);
        },
      }),
  });

function createAgent(messages: readonly AgentMessage[], responses: readonly AssistantMessage[], isSequential: boolean) {
  ran.length = 0;
  return new Agent({
    sessionId: "chat",
    ...(isSequential && { toolExecution: "sequential" as const }),
    initialState: { model: MODEL, tools: [pay, quiz, child("x")], messages: [...messages] },
    middleware: [signed()],
    streamFn: scripted(...responses).streamFn,
  });
}

const idsOf = (agent: Agent): string[] => agent.state.pause?.requests.map(({ id }) => id) ?? [];

test.each([false, true])("every id goes through a page of useChat, sequential: %s", async (isSequential) => {
  for (const id of IDS) {
    const both = response([call("first", "pay", { euros: 1 }), call(id, "pay", { euros: 5 })]);
    const page = new Page();
    const post = async (next: AssistantMessage): Promise<void> => {
      const messages = page.parts.length > 0 ? [ASKED, page.message] : [ASKED];
      const agent = createAgent(fromUIMessages(messages), [next], isSequential);
      await page.read(toUIMessageStream(agent, { run: () => agent.continue() }));
    };
    await post(both);
    page.answer("first", true);
    if (isSequential) await post(text("Done."));
    page.answer(id, true);
    await post(text("Done."));
    expect([id, ...ran]).toEqual([id, ...(isSequential ? [] : ["pay 1"]), "pay 5"]);
  }
});

test("every id goes through a client of AG-UI", async () => {
  for (const id of IDS) {
    const agent = createAgent([], [response([call(id, "pay", { euros: 5 })]), text("Done.")], false);
    const post = (run: () => Promise<void>) => agUiResponse(agent, { threadId: "t", runId: "r", run }).text();
    await post(() => agent.prompt("Pay."));
    const resume = idsOf(agent).map((interruptId) => ({
      interruptId,
      status: "resolved",
      payload: { approved: true },
    }));
    await agent.answer(readAgUiAnswers(resume));
    await post(() => agent.continue());
    expect([id, ...ran]).toEqual([id, "pay 5"]);
  }
});

test.each([
  ["the request of an agent's call", [call("c", "run"), call("c/x", "pay", { euros: 1000 })]],
  ["the question of a tool", [call("c", "quiz"), call("c?0.0", "pay", { euros: 1000 })]],
  ["a question, another name", [call("c", "quiz"), call("c?0", "pay", { euros: 1000 })]],
  ["an escape", [call("c/", "pay", { euros: 1 }), call("c%/", "pay", { euros: 1000 })]],
])("no id is that of %s", async (_name, calls) => {
  const agent = createAgent([], [response(calls), text("Done.")], false);
  await agent.prompt("Go.");
  const [first = "", second = ""] = idsOf(agent);
  expect(first).not.toBe(second);
  await agent.answer([{ id: first, approved: true }]);
  await agent.continue();
  expect(idsOf(agent)).toEqual([second]);
  expect(ran).not.toContain("pay 1000");
});

test("the second call of an id has not the id of another", async () => {
  const first = response([call("c", "pay", { euros: 1 })]);
  const agent = createAgent(
    [],
    [first, response([call("c", "pay", { euros: 2 }), call("c~2", "pay", { euros: 3 })])],
    false,
  );
  await agent.prompt("Go.");
  await agent.answer([{ id: idsOf(agent)[0] ?? "", approved: true }]);
  await agent.continue();
  expect(new Set(idsOf(agent)).size).toBe(2);
});

test("the mark of a call that waits for its turn has not the id of another", async () => {
  const calls = [call("a", "pay", { euros: 1 }), call("c", "pay", { euros: 2 }), call("c!", "pay", { euros: 3 })];
  const agent = createAgent([], [response(calls), text("Done.")], true);
  await agent.prompt("Go.");
  const asked = agent.state.messages.map((message) => Object(message).pause?.requests?.[0].id).filter(Boolean);
  expect(asked).toEqual(["a", "c!", "c%!!"]);
  for (const open of ["a", "c"]) {
    expect(idsOf(agent)).toEqual([open]);
    await agent.answer([{ id: open, approved: true }]);
    await agent.continue();
  }
  expect(ran).toEqual(["pay 1", "pay 2"]);
});
