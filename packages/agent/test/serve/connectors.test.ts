/** All connectors, over runs whose responses arrive in every way. */

import { type Agent, streamProxy } from "pi-agent";
import { fromAgUiMessages, toAgUiStream } from "pi-agent/ag-ui";
import { subscribeEmbedded } from "pi-agent/embed";
import { createMemoryEventStore, publish, type RunEvent } from "pi-agent/event-store";
import { applyRunEvent, type RunView } from "pi-agent/sse/client";
import { fromUIMessages, toUIMessageStream } from "pi-agent/ui-stream";
import { type Message, registerApiProvider, unregisterApiProviders } from "pi-ai";
import { createProxyHandler } from "pi-ai/proxy-server";
import { describe, expect, onTestFinished, test } from "vitest";
import { MODEL } from "../scripted-stream.js";
import { AgUiReader, readAll, UIReader } from "./page-readers.js";
import { SCENARIOS, type Scenario, type Shown, shownOf, toShown } from "./scenarios.js";

/** A page, and what it shows at the end. `outcome` is undefined where the connector does not tell it. */
type Connector = (scenario: Scenario, agent: Agent) => Promise<{ shown: Partial<Shown>; outcome?: string | undefined }>;

const uiStream =
  (sdk: 5 | 6 | 7): Connector =>
  async (_scenario, agent) => {
    const chunks = await readAll(toUIMessageStream(agent, { sdk, run: () => agent.prompt("Hi") }));
    if (sdk < 7) expect(chunks.map(({ type }) => type)).not.toContain("reset-step");
    const reader = new UIReader();
    for (const chunk of chunks) reader.read(chunk);
    expect(reader.open.size).toBe(0);
    const shown = toShown(fromUIMessages([{ role: "assistant", parts: reader.parts }]));
    expect(chunks.at(-1)?.type).toBe("finish");
    const outcomes: Record<string, string> = { error: "failed", abort: "aborted" };
    return { shown, outcome: chunks.map(({ type }) => outcomes[type]).find(Boolean) ?? "success" };
  };

const CONNECTORS: Record<string, Connector> = {
  "ui-stream for the AI SDK 7": uiStream(7),
  "ui-stream for the AI SDK 6": uiStream(6),
  "ui-stream for the AI SDK 5": uiStream(5),
  "ag-ui": async (scenario, agent) => {
    const events = await readAll(toAgUiStream(agent, { threadId: "t", runId: "r", run: () => agent.prompt("Hi") }));
    const reader = new AgUiReader();
    for (const event of events) reader.read(event);
    const { messages } = reader;
    const { texts, tools } = toShown(fromAgUiMessages(messages));
    const thoughts = messages.filter(({ role }) => role === "reasoning").map(({ content }) => content);
    const last = events.at(-1);
    const outcome = last?.type === "RUN_FINISHED" ? last.outcome.type : last?.type;
    const names: Record<string, string> = { RUN_ERROR: "failed", cancelled: "aborted", success: "success" };
    // There is no event for a call that was cut off.
    const shown = { texts, thoughts, ...(scenario.outcome !== "failed" && { tools }) };
    return { shown, outcome: names[outcome ?? ""] };
  },
  sse: async (scenario, agent) => {
    const store = createMemoryEventStore<RunEvent>();
    onTestFinished(() => store.close());
    agent.middleware = [publish(store, "r")];
    await agent.prompt("Hi");
    let view: RunView = { messages: [] };
    for await (const [, event] of store.read("r")) view = applyRunEvent(view, event);
    expect(view).toEqual({ messages: JSON.parse(JSON.stringify(agent.state.messages)) });
    const { texts, thoughts, tools } = toShown(view.messages as Message[]);
    // The message is that of the stream function, which did not mark the call.
    return { shown: { texts, thoughts, ...(scenario.outcome !== "failed" && { tools }) } };
  },
  embed: async (scenario, agent) => {
    const texts: string[] = [];
    const thoughts: string[] = [];
    subscribeEmbedded(agent, {
      reasoning: "on",
      onBlockReply: ({ text }) => void texts.push(text ?? ""),
      onReasoning: (text) => void thoughts.push(text),
    });
    await agent.prompt("Hi");
    if (!scenario.repeated) return { shown: { texts, thoughts } };
    expect([texts, thoughts]).toEqual([[], []]);
    return { shown: {} };
  },
};

describe.each(Object.entries(CONNECTORS))("%s", (_, connect) => {
  test.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))("%s", async (_name, scenario) => {
    const { shown, outcome } = await connect(scenario, await scenario.create());
    const expected = Object.entries(shownOf(scenario)).filter(([part]) => part in shown);
    expect(shown).toEqual(Object.fromEntries(expected));
    if (outcome) expect(outcome).toBe(scenario.outcome);
  });
});

/** The relay serves stream functions, not runs. */
describe("proxy", () => {
  test.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))("%s", async (_name, scenario) => {
    const stream = scenario.streamFn();
    registerApiProvider({ api: "scripted", stream, streamSimple: stream } as never, "connectors");
    onTestFinished(() => unregisterApiProviders("connectors"));
    const handler = createProxyHandler({ authorize: "token", allowModels: () => true, getModel: () => MODEL });
    const agent = await scenario.create((model, context, options) =>
      streamProxy(model, context, {
        ...options,
        authToken: "token",
        proxyUrl: "http://relay.test",
        fetch: async (input, init) => handler(new Request(input, init)),
      }),
    );
    await agent.prompt("Hi");
    const { tools, ...prose } = toShown(agent.state.messages as Message[]);
    // The client marks a call as cut off by its arguments, and this one has none.
    expect({ ...prose, tools: scenario.outcome === "failed" ? scenario.tools : tools }).toEqual(shownOf(scenario));
  });
});
