/** Long conversations that the provider compacts, so that `compact` of this library, which is also set, has nothing to do. */
import { Agent, type AgentMessage, type AgentTool } from "pi-agent";
import { compact } from "pi-agent/compact";
import { type ContextManagement, type Message, type Model, streamSimple, Type } from "pi-ai";
import { expect, test } from "vitest";
import { budget } from "../../../test/support/suite.js";
import { buildBody, TOOLS } from "../../ai/test/handoff/check-handoff.internal.js";
import { user } from "../../ai/test/handoff/conversations.js";
import { PARTIES, type Party } from "../../ai/test/handoff/parties.js";
import { findFaults } from "../../ai/test/validators/validators.js";
import { isSummary } from "./compact-script.js";
import { CompactingServer } from "./compacting-server.js";

const RESPONSES = budget({ quick: 60, all: 300 });
const WINDOW = 100_000;
/** The lowest threshold that Anthropic accepts. */
const AT_TOKENS = 50_000;
const FIRST_REQUEST = "The very first request";

const READ: AgentTool = {
  name: "read",
  label: "Read",
  description: "Reads a file",
  parameters: Type.Object({ path: Type.String() }),
  execute: async () => ({ content: [{ type: "text", text: "line of a file\n".repeat(700) }], details: undefined }),
};

const CASES = [
  ["anthropic-messages", "claude-opus-4-6", false],
  ["anthropic-messages", "claude-opus-4-6", true],
  ["openai-responses", undefined, false],
  ["azure-openai-responses", undefined, false],
] as const;

function partyOf(api: string): Party {
  const party = PARTIES.find((each) => each.api === api);
  if (!party) throw new Error(`${api} takes no part`);
  return party;
}

/** Talks until the server has responded often enough. */
async function talk(party: Party, model: Model, contextManagement: ContextManagement) {
  const server = new CompactingServer(party, model);
  let ownSummaries = 0;
  const agent = new Agent({
    streamFn: (called, context, options) => {
      if (isSummary(context)) ownSummaries++;
      return streamSimple(called, context, {
        ...options,
        apiKey: party.apiKey,
        fetch: server.fetch,
        maxRetries: 0,
        contextManagement,
      });
    },
    middleware: [compact({ at: 0.9 })],
    initialState: { model, tools: [READ], thinkingLevel: "high" },
  });
  await agent.prompt(FIRST_REQUEST);
  while (server.responses < RESPONSES && agent.state.errorMessage === undefined) await agent.prompt("Go on.");
  return { server, agent, ownSummaries };
}

/** Returns the messages that requests can contain. */
function toLlm(messages: readonly AgentMessage[]): Message[] {
  return messages.filter(({ role }) => role === "user" || role === "assistant" || role === "toolResult") as Message[];
}

test.each(CASES)(
  "%s (%s) compacts a long conversation, pausing afterwards: %s",
  async (api, id, pause) => {
    const party = partyOf(api);
    const found = party.targets.find((target) => target.id === id) ?? party.model;
    const model = { ...found, baseUrl: "https://models.test", contextWindow: WINDOW };
    const { server, agent, ownSummaries } = await talk(party, model, { compact: { atTokens: AT_TOKENS, pause } });
    expect(agent.state.errorMessage).toBeUndefined();
    const pauses = agent.state.messages.flatMap((message, position) =>
      message.role === "assistant" && message.stopReason === "pause" ? [{ message, position }] : [],
    );
    expect(pauses).toHaveLength(pause ? server.compactions.length : 0);
    for (const { message, position } of pauses) {
      expect(message.content).toMatchObject([{ type: "compaction" }]);
      expect(agent.state.messages[position + 1]?.role).toBe("assistant");
    }
    expect(server.faults).toEqual([]);
    expect(server.compactions.length).toBeGreaterThan(1);
    expect(server.used).toBeGreaterThan(server.compactions.length);
    // What the provider has compacted is neither sent again nor counted.
    expect(server.largestBody).toBeLessThan(WINDOW * 4);
    expect(ownSummaries).toBe(0);
    // The transcript is whole, and another model reads all of it, without opaque data.
    const messages = [...toLlm(agent.state.messages), user("Go on.")];
    expect(JSON.stringify(messages[0])).toContain(FIRST_REQUEST);
    const other = partyOf("google-generative-ai");
    const body = buildBody(other, other.model, messages, { tools: TOOLS, options: {} });
    expect(findFaults("google-generative-ai", body, other.model)).toEqual([]);
    const sent = JSON.stringify(body);
    expect(sent).toContain(FIRST_REQUEST);
    for (const payload of server.compactions) expect(sent).not.toContain(payload);
  },
  60_000,
);
