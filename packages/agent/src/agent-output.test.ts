import {
  Agent,
  type AgentEvent,
  type AgentOptions,
  type AgentOutput,
  agentLoop,
  type BeforeToolCallContext,
  defineTool,
} from "pi-agent";
import { type AssistantMessage, type Model, Type } from "pi-ai";
import { createScriptedStreamFn, fauxAssistantMessage, fauxText, fauxToolCall } from "pi-ai/testing";
import { describe, expect, test, vi } from "vitest";
import { describeEvent } from "../test/event-list.js";

const NATIVE: Model = {
  id: "gpt-5.4",
  name: "Model",
  api: "openai-responses",
  provider: "openai",
  baseUrl: "https://api.openai.com/v1",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 100_000,
  maxTokens: 10_000,
};
/** Gemini 2 rejects JSON output beside functions. */
const EITHER: Model = { ...NATIVE, id: "gemini-2.5-pro", api: "google-generative-ai", provider: "google" };

const SCHEMA = Type.Object({ answer: Type.Integer() });
const GOOD = { answer: 42 };

function setUp(
  responses: AssistantMessage[],
  model: Model,
  options: Partial<AgentOutput> = {},
  more: AgentOptions = {},
) {
  const streamFn = createScriptedStreamFn(
    responses.map((response) => ({
      ...response,
      stopReason: response.content.some(({ type }) => type === "toolCall") ? "toolUse" : "stop",
    })),
  );
  const execute = vi.fn(async () => ({ content: [{ type: "text" as const, text: "done" }] }));
  const look = defineTool({ name: "look", description: "Looks.", parameters: Type.Object({}), execute });
  const agent = new Agent({
    ...more,
    streamFn,
    initialState: { model, tools: [look], output: { schema: SCHEMA, ...options } },
  });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => void events.push(event));
  return { agent, streamFn, execute, events };
}

const look = (id = "1") => fauxAssistantMessage(fauxToolCall("look", {}, { id }));
const output = (value: Record<string, unknown>, id = "out") => fauxToolCall("output", value, { id });
const lastError = (agent: Agent) => {
  const last = agent.state.messages.at(-1);
  return last?.role === "assistant" ? last.error : undefined;
};

describe("an agent with an output", () => {
  test("uses tools and ends with the native output", async () => {
    const { agent, streamFn, events } = setUp([look(), fauxAssistantMessage(JSON.stringify(GOOD))], NATIVE);
    await agent.prompt("Go");
    expect(agent.state.output).toEqual(GOOD);
    expect(agent.state.errorMessage).toBeUndefined();
    expect(streamFn.calls.map(({ options }) => Boolean(options.outputFormat))).toEqual([true, true]);
    expect(streamFn.calls[0]?.context.tools?.map(({ name }) => name)).toEqual(["look"]);
    expect(events.map(describeEvent).slice(-3)).toEqual([
      "TE(stop;[])",
      'OUT({"answer":42})',
      expect.stringMatching(/^AE/),
    ]);
  });

  test("gets a tool of its own where the model cannot have both", async () => {
    const { agent, streamFn, events } = setUp([look(), fauxAssistantMessage(output(GOOD))], EITHER);
    await agent.prompt("Go");
    expect(agent.state.output).toEqual(GOOD);
    expect(streamFn.calls.map(({ options }) => [options.outputFormat, options.toolChoice])).toEqual([
      [undefined, "required"],
      [undefined, "required"],
    ]);
    const sent = streamFn.calls[0]?.context.tools;
    expect(sent?.map(({ name }) => name)).toEqual(["look", "output"]);
    expect(sent?.[1]?.parameters).toEqual(SCHEMA);
    expect(events.map(describeEvent).slice(-5)).toEqual([
      "MS(rout)",
      "ME(rout)",
      "TE(toolUse;[out])",
      'OUT({"answer":42})',
      expect.stringMatching(/^AE/),
    ]);
    // Every tool call of the transcript has a result.
    expect(agent.state.messages.at(-1)).toMatchObject({ role: "toolResult", toolCallId: "out", isError: false });
    expect(agent.state.tools.map(({ name }) => name)).toEqual(["look"]);
  });

  test("runs the other tools beside the output, and then ends", async () => {
    const both = fauxAssistantMessage([fauxToolCall("look", {}, { id: "1" }), output(GOOD)]);
    const { agent, streamFn, execute } = setUp([both], EITHER);
    await agent.prompt("Go");
    expect(execute).toHaveBeenCalledOnce();
    expect(agent.state.output).toEqual(GOOD);
    streamFn.assertDone();
  });

  test("sends two outputs of one response back", async () => {
    const two = fauxAssistantMessage([output(GOOD, "a"), output(GOOD, "b")]);
    const { agent } = setUp([two, fauxAssistantMessage(output(GOOD))], EITHER);
    await agent.prompt("Go");
    expect(agent.state.output).toEqual(GOOD);
    const results = agent.state.messages.filter((message) => message.role === "toolResult");
    expect(results.map(({ isError }) => isError)).toEqual([true, true, false]);
    expect(JSON.stringify(results[0])).toContain("there must be exactly one");
  });

  test.each([
    [
      "plain text instead of the tool",
      EITHER,
      fauxAssistantMessage("It is 42."),
      fauxAssistantMessage(output(GOOD)),
      "was not called",
    ],
    [
      "an invalid native output",
      NATIVE,
      fauxAssistantMessage('{"answer":"x"}'),
      fauxAssistantMessage(JSON.stringify(GOOD)),
      "answer: must be integer",
    ],
    [
      "plain text instead of JSON",
      NATIVE,
      fauxAssistantMessage("It is 42."),
      fauxAssistantMessage(JSON.stringify(GOOD)),
      "no JSON object",
    ],
  ])("sends %s back with a user message", async (_, model, first, second, problem) => {
    const { agent, streamFn } = setUp([first, second], model);
    await agent.prompt("Go");
    expect(agent.state.output).toEqual(GOOD);
    expect(agent.state.messages.map(({ role }) => role).slice(0, 3)).toEqual(["user", "assistant", "user"]);
    expect(JSON.stringify(streamFn.calls[1]?.context.messages.at(-1))).toContain(problem);
  });

  test("is never coerced: arguments of the wrong type go back as an error result", async () => {
    const { agent } = setUp(
      [fauxAssistantMessage(output({ answer: "42" })), fauxAssistantMessage(output(GOOD))],
      EITHER,
    );
    await agent.prompt("Go");
    expect(agent.state.messages[2]).toMatchObject({ role: "toolResult", isError: true });
    expect(JSON.stringify(agent.state.messages[2])).toContain("answer: must be integer");
    expect(agent.state.output).toEqual(GOOD);
  });

  test.each([
    [NATIVE, () => fauxAssistantMessage('{"answer":"x"}')],
    [EITHER, () => fauxAssistantMessage(output({ answer: "x" }))],
    [EITHER, () => fauxAssistantMessage(fauxText("No."))],
  ])("ends with an error of the kind invalid_output when the repairs are used up", async (model, respond) => {
    const { agent, streamFn, events } = setUp([respond(), respond(), respond()], model, { maxRepairs: 2 });
    await agent.prompt("Go");
    expect(agent.state.output).toBeUndefined();
    expect(agent.state.errorMessage).toContain("The run ended without a valid output");
    expect(lastError(agent)).toEqual({ kind: "invalid_output" });
    expect(events.at(-1)?.type).toBe("agent_end");
    expect(agent.state.isStreaming).toBe(false);
    streamFn.assertDone();
  });

  test("reports a response that reached its output limit", async () => {
    const cut: AssistantMessage = { ...fauxAssistantMessage('{"ans'), stopReason: "length" };
    const streamFn = createScriptedStreamFn([cut]);
    const agent = new Agent({ streamFn, initialState: { model: NATIVE, output: { schema: SCHEMA } } });
    await agent.prompt("Go");
    expect(lastError(agent)).toEqual({ kind: "length" });
  });

  test("does not ask the application about its own call", async () => {
    const asked: string[] = [];
    const beforeToolCall = async ({ toolCall }: BeforeToolCallContext) => {
      asked.push(toolCall.name);
      return { block: true };
    };
    const { agent } = setUp([fauxAssistantMessage(output(GOOD))], EITHER, {}, { beforeToolCall });
    await agent.prompt("Go");
    expect(agent.state.output).toEqual(GOOD);
    expect(asked).toEqual([]);
  });

  test("continues with a follow-up after the output, and a new run starts without one", async () => {
    const { agent, events } = setUp(
      [1, 2, 3].map((answer) => fauxAssistantMessage(JSON.stringify({ answer }))),
      NATIVE,
    );
    agent.followUp("And?");
    await agent.prompt("Go");
    expect(events.filter(({ type }) => type === "output")).toEqual(
      [1, 2].map((answer) => ({ type: "output", output: { answer } })),
    );
    expect(agent.state.output).toEqual({ answer: 2 });
    const seen: unknown[] = [];
    agent.subscribe(({ type }) => void (type === "agent_start" && seen.push(agent.state.output)));
    await agent.prompt("Again");
    expect(seen).toEqual([undefined]);
    expect(agent.state.output).toEqual({ answer: 3 });
    agent.reset();
    expect(agent.state.output).toBeUndefined();
  });

  test("can change between runs", async () => {
    const { agent, streamFn } = setUp([fauxAssistantMessage("plain"), fauxAssistantMessage('{"value":[1]}')], NATIVE);
    agent.outputRequest = undefined;
    await agent.prompt("Go");
    expect(streamFn.calls[0]?.options.outputFormat).toBeUndefined();
    agent.outputRequest = { schema: Type.Array(Type.Integer()) };
    await agent.prompt("Go");
    expect(agent.state.output).toEqual([1]);
  });

  test("ends with a clear error for a schema that cannot be used, before anything is sent", async () => {
    const { agent, streamFn } = setUp([], NATIVE, { schema: { $ref: "#/nowhere" } });
    await agent.prompt("Go");
    expect(agent.state.errorMessage).toContain("The schema of the output cannot be used");
    expect(streamFn.calls).toHaveLength(0);
  });

  test("works in the loop without an agent", async () => {
    const streamFn = createScriptedStreamFn([fauxAssistantMessage(JSON.stringify(GOOD))]);
    const config = { model: NATIVE, output: { schema: SCHEMA }, convertToLlm: () => [] };
    const stream = agentLoop(
      [{ role: "user", content: "Go", timestamp: 0 }],
      { systemPrompt: "", messages: [] },
      config,
      undefined,
      streamFn,
    );
    const events: AgentEvent[] = [];
    for await (const event of stream) events.push(event);
    expect(events).toContainEqual({ type: "output", output: GOOD });
  });
});
