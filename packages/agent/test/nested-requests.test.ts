/** The requests of an agent that a tool runs, beside those of the call itself: an answer to one is never an answer to the other. */
import { Agent, type AgentToolContext, type AnyAgentTool } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { Type } from "pi-ai";
import { expect, test } from "vitest";
import { call, MODEL, response, scripted, text } from "./scripted-stream.js";

type Pausing = NonNullable<AgentToolContext["pausing"]>;

/** A tool that is called again after each pause, with what it finds there. */
function agentOf(
  steps: ((pausing: Pausing) => Promise<string>)[],
  when: () => boolean,
): { agent: Agent; ran: number[] } {
  const ran: number[] = [];
  const delegate: AnyAgentTool = {
    name: "delegate",
    description: "Runs an agent",
    parameters: Type.Object({}),
    execute: async (_id, _args, _signal, _onUpdate, context) => {
      const step = steps[ran.length];
      ran.push(ran.length);
      if (!(context?.pausing && step)) throw new Error("It ran once too often");
      return step(context.pausing);
    },
  };
  const agent = new Agent({
    initialState: { model: MODEL, tools: [delegate] },
    middleware: [approvals({ when, pause: true })],
    streamFn: scripted(response([call("c", "delegate")]), text("Done.")).streamFn,
  });
  return { agent, ran };
}

const inner = { toolCallId: "i", toolName: "inner", arguments: {} };
const openIds = (agent: Agent): string[] => agent.state.pause?.requests.map(({ id }) => id) ?? [];

test("who approves a call of the inner agent has not approved the call that runs it", async () => {
  let isNeeded = false;
  const askInner = async (pausing: Pausing) => pausing.pause([{ ...inner, id: "r", kind: "approval" }], {});
  const { agent, ran } = agentOf([askInner, async () => "Done."], () => isNeeded);
  await agent.prompt("Go.");
  isNeeded = true;
  await agent.answer(openIds(agent).map((id) => ({ id, approved: true })));
  await agent.continue();
  expect(ran).toEqual([0]);
  expect(agent.state.pause?.requests).toMatchObject([{ kind: "approval", toolName: "delegate" }]);
  await agent.answer(openIds(agent).map((id) => ({ id, approved: true })));
  await agent.continue();
  expect(ran).toEqual([0, 1]);
});

test("the inner agent gets the answers to its own requests alone", async () => {
  let answers: readonly object[] = [];
  const askInner = async (pausing: Pausing) => pausing.pause([{ ...inner, id: "r", kind: "approval" }], {});
  const read = async (pausing: Pausing) => {
    answers = pausing.answers;
    return "Done.";
  };
  const { agent } = agentOf([askInner, read], () => true);
  await agent.prompt("Go.");
  for (let round = 0; round < 2; round++) {
    await agent.answer(openIds(agent).map((id) => ({ id, approved: true })));
    await agent.continue();
  }
  expect(answers).toEqual([{ id: "r", approved: true }]);
});

test("the answer to a question of the inner agent is none to the same question of the call", async () => {
  const askInner = async (pausing: Pausing) =>
    pausing.pause([{ ...inner, id: "r", kind: "question", message: "Which size?" }], {});
  const askToo = async (pausing: Pausing) => JSON.stringify(await pausing.askAll([{ message: "Which size?" }]));
  const { agent, ran } = agentOf([askInner, askToo, askToo], () => false);
  await agent.prompt("Go.");
  await agent.answer(openIds(agent).map((id) => ({ id, approved: true, value: "inner" })));
  await agent.continue();
  expect(ran).toEqual([0, 1]);
  const [own] = agent.state.pause?.requests ?? [];
  expect(own).toMatchObject({ kind: "question", message: "Which size?" });
  expect(own?.path).toBeUndefined();
  await agent.answer([{ id: own?.id ?? "", approved: true, value: "own" }]);
  await agent.continue();
  const last = agent.state.messages.findLast((message) => message.role === "toolResult");
  const shown = JSON.stringify(last?.role === "toolResult" ? last.content : []);
  expect(shown).toContain("own");
  expect(shown).not.toContain("inner");
});
