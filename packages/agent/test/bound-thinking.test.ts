/** Sessions with models that bind their thinking to everything before it: no change of the conversation ends one. */
import { Agent, type AgentMessage, type AgentOptions } from "pi-agent";
import { type CompactOptions, compact, isCompactionMessage } from "pi-agent/compact";
import { getModel, type Model, streamSimple, Type } from "pi-ai";
import { describe, expect, it, test } from "vitest";
import { BoundThinkingVendor } from "../../ai/test/validators/bound-thinking.js";
import { callWithResult, createView, isSummary, noUsage, script } from "./compact-script.js";
import { response, text } from "./scripted-stream.js";

const OPUS: Model = getModel("anthropic", "claude-opus-5-5");
/** A host that is not known to take the field that lets the server drop thinking. */
const ELSEWHERE: Model = { ...OPUS, provider: "opencode", baseUrl: "https://opencode.ai/zen" };
const TOOL = {
  name: "write",
  label: "Write",
  description: "Writes",
  parameters: Type.Object({}),
  execute: async () => ({ content: [], details: undefined }),
};

function open(vendor: BoundThinkingVendor, model: Model, options: Partial<AgentOptions> = {}): Agent {
  return new Agent({
    initialState: { model, systemPrompt: "Base.", tools: [], thinkingLevel: "medium" },
    streamFn: (asked, context, more) =>
      streamSimple(asked, context, { ...more, apiKey: "k", fetch: vendor.fetch, maxRetries: 0 }),
    ...options,
  });
}

async function prompt(agent: Agent, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    await agent.prompt(`Prompt ${index} ${"x".repeat(400)}`);
    expect(agent.state.errorMessage).toBeUndefined();
  }
}

describe.each([
  ["a host that drops broken thinking", OPUS, true],
  ["another host", ELSEWHERE, false],
])("a session at %s goes on", (_name, model, takesField) => {
  it.each<[string, (agent: Agent) => void]>([
    [
      "a tool is added",
      ({ state }) => {
        state.tools = [TOOL];
      },
    ],
    [
      "the system prompt changes",
      ({ state }) => {
        state.systemPrompt = "Base.\n\nBe brief.";
      },
    ],
    [
      "earlier messages are gone",
      ({ state }) => {
        state.messages = state.messages.slice(2);
      },
    ],
  ])("when %s", async (_change, change) => {
    const vendor = new BoundThinkingVendor({ takesField });
    const agent = open(vendor, model);
    await prompt(agent, 3);
    change(agent);
    await prompt(agent, 2);
    expect(vendor.refused).toBe(takesField ? 0 : 2);
  });

  it("when transformContext keeps the last messages only", async () => {
    const vendor = new BoundThinkingVendor({ takesField });
    const agent = open(vendor, model, { transformContext: async (messages) => messages.slice(-3) });
    await prompt(agent, 5);
    expect(vendor.refused).toBe(takesField ? 0 : 3);
  });
});

describe("a compaction", () => {
  function compacting(model: Model, options: Partial<CompactOptions> = {}) {
    const vendor = new BoundThinkingVendor({ takesField: false, usage: (body) => JSON.stringify(body).length / 4 });
    const small = { ...model, contextWindow: 1500, maxTokens: 100 };
    const { streamFn } = script(text("They talked."));
    const agent = open(vendor, small, { middleware: [compact({ keep: 300, ...options })] });
    const { streamFn: base } = agent;
    agent.streamFn = (asked, context, more) => (isSummary(context) ? streamFn : base)(asked, context, more);
    return { vendor, agent };
  }
  const thinking = /"type":"thinking"/g;

  it("sends no thinking that is older than itself, and keeps the later thinking", async () => {
    const { vendor, agent } = compacting(ELSEWHERE);
    await prompt(agent, 14);
    expect(vendor.refused).toBe(0);
    const records = agent.state.messages.filter(isCompactionMessage);
    expect(records.length).toBeGreaterThan(1);
    for (const { compaction } of records) expect(compaction.thinkingRemoved).toBeGreaterThan(0);
    const before = vendor.requests.findIndex(({ body }) => JSON.stringify(body).includes("They talked."));
    const sent = vendor.requests
      .slice(before, before + 2)
      .map(({ body }) => JSON.stringify(body).match(thinking)?.length ?? 0);
    expect(sent).toEqual([0, 1]);
    // The transcript keeps everything.
    expect(JSON.stringify(agent.state.messages).match(thinking)?.length).toBe(14);
  });

  it("of a model without bound thinking keeps the thinking of the messages that it keeps", async () => {
    const { vendor, agent } = compacting({ ...ELSEWHERE, id: "claude-opus-5", name: "Claude Opus 5" });
    for (let index = 0; index < 14; index++) await agent.prompt(`Prompt ${index} ${"x".repeat(400)}`);
    const [record] = agent.state.messages.filter(isCompactionMessage);
    expect(record?.compaction).not.toHaveProperty("thinkingRemoved");
    const sent = vendor.requests.find(({ body }) => JSON.stringify(body).includes("They talked."));
    expect(JSON.stringify(sent?.body).match(thinking)?.length).toBeGreaterThan(0);
  });
});

test("thinking before the first note in place of a result stays", async () => {
  const answer = (index: number) =>
    text(`Answer ${index}`, {
      api: OPUS.api,
      provider: OPUS.provider,
      model: OPUS.id,
      ...noUsage,
      timestamp: index,
      content: [
        { type: "thinking", thinking: "Hm.", thinkingSignature: "c2ln" },
        { type: "text", text: `Answer ${index}` },
      ],
    });
  const call = { type: "toolCall", id: "1", name: "read", arguments: {} } as const;
  const [, result] = callWithResult("1", 4000);
  const user = (timestamp: number) => ({ role: "user", content: "Hi", timestamp }) as const;
  const messages: AgentMessage[] = [
    user(0),
    answer(1),
    user(2),
    { ...answer(3), content: [call] },
    ...(result ? [result] : []),
    answer(5),
    user(6),
    answer(7),
    user(8),
  ];
  const own = { ...OPUS, contextWindow: 1200 };
  const { streamFn } = script(response([], { stopReason: "error", errorMessage: "No" }));
  const viewOf = createView(compact({ at: 0.6, keep: 100 }), () => own, streamFn);
  const view = await viewOf(messages);
  const kept = view.map(
    (message) => message.role === "assistant" && message.content.some(({ type }) => type === "thinking"),
  );
  expect(kept).toEqual([false, true, false, false, false, false, false, false, false]);
});
