/** Long conversations with every api: they stay within the window, and every request is valid. */
import { Agent, type AgentTool, type StreamFn } from "pi-agent";
import { compact, isCompactionMessage } from "pi-agent/compact";
import { type AssistantMessage, type Message, Type } from "pi-ai";
import { estimateMessageTokens } from "pi-ai/count";
import { expect, test } from "vitest";
import { budget } from "../../../test/support/suite.js";
import { buildBody, TOOLS } from "../../ai/test/handoff/check-handoff.internal.js";
import { IMAGE } from "../../ai/test/handoff/conversations.js";
import { PARTIES, type Party } from "../../ai/test/handoff/parties.js";
import { createTurns } from "../../ai/test/handoff/turns.internal.js";
import { findFaults } from "../../ai/test/validators/validators.js";
import { isSummary } from "./compact-script.js";
import { eventsOf, streamOf, text } from "./scripted-stream.js";

const RESPONSES = budget({ quick: 80, all: 300 });
const WINDOW = 12_000;

const TOOLS_WITH_RESULTS: AgentTool[] = [
  {
    name: "read",
    label: "Read",
    description: "Reads a file",
    parameters: Type.Object({ path: Type.String() }),
    execute: async () => ({ content: [{ type: "text", text: "line of a file\n".repeat(120) }], details: undefined }),
  },
  {
    name: "screenshot",
    label: "Screenshot",
    description: "Shows the screen",
    parameters: Type.Object({}),
    execute: async () => ({ content: [IMAGE], details: undefined }),
  },
];

const sum = (messages: readonly Message[]): number =>
  messages.reduce((tokens, message) => tokens + estimateMessageTokens(message), 0);

function withUsage(message: AssistantMessage, messages: readonly Message[]): AssistantMessage {
  const input = sum(messages);
  const output = estimateMessageTokens(message);
  return { ...message, usage: { ...message.usage, input, output, totalTokens: input + output } };
}

/** Responds with the turns of an agent: tool calls, thinking, hidden thinking, and texts. */
function createResponses(party: Party): (messages: readonly Message[]) => AssistantMessage {
  let count = 0;
  return (messages) => {
    const turns = createTurns(party, `r${count}`);
    const order = [
      turns.parallel,
      turns.lone,
      turns.hiddenCall,
      turns.thoughtful,
      turns.loneAgain,
      turns.hidden,
    ] as const;
    const next = order[count++ % order.length] ?? turns.thoughtful;
    return withUsage(next, messages);
  };
}

test.each(PARTIES.map((party) => [party.model.api, party] as const))(
  "a long conversation with %s",
  async (_api, party) => {
    const model = { ...party.model, contextWindow: WINDOW };
    const respond = createResponses(party);
    const faults: string[] = [];
    let largest = 0;
    let responses = 0;
    let summaries = 0;
    let used = 0;
    const streamFn: StreamFn = (_model, { systemPrompt, messages }) => {
      if (isSummary({ systemPrompt: systemPrompt ?? "", messages: [] })) {
        largest = Math.max(largest, sum(messages));
        return streamOf(eventsOf(text(`Summary ${++summaries}.`)));
      }
      const options = { reasoning: "high" } as const;
      faults.push(...findFaults(party.api, buildBody(party, model, messages, { tools: TOOLS, options }), model));
      largest = Math.max(largest, sum(messages));
      const [first] = messages;
      if (isCompactionMessage(first) && first.content.includes(`Summary ${summaries}.`)) used++;
      responses++;
      return streamOf(eventsOf(respond(messages)));
    };
    const agent = new Agent({
      streamFn,
      middleware: [compact({ keep: 3000 })],
      initialState: { model, tools: TOOLS_WITH_RESULTS },
    });
    while (responses < RESPONSES) await agent.prompt(`Go on. ${"Words of the user. ".repeat(40)}`);
    expect(agent.state.errorMessage).toBeUndefined();
    expect(faults).toEqual([]);
    expect(largest).toBeLessThanOrEqual(WINDOW);
    expect(summaries).toBeGreaterThan(0);
    expect(used).toBeGreaterThan(summaries);
  },
  60_000,
);
