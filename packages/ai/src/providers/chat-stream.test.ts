/** Responses of Chat Completions and of Mistral that end with `[DONE]` and without a finish reason. */

import { type AssistantMessage, type Model, streamSimple } from "pi-ai";
import { describe, expect, it } from "vitest";
import { createResponse } from "../../test/messages.js";
import { createModel } from "../../test/models.js";
import { scriptFetch } from "../../test/support/scripted-fetch.js";
import { sseEvent } from "../../test/support/sse.js";

const MODELS: Model[] = [
  { ...createModel("openai-responses"), api: "openai-completions" },
  createModel("mistral-conversations"),
];

async function answer(
  model: Model,
  deltas: readonly object[],
  earlier: Partial<AssistantMessage>[] = [],
): Promise<AssistantMessage> {
  const pieces = [...deltas.map((delta) => sseEvent({ choices: [{ index: 0, delta }] })), sseEvent("[DONE]")];
  const { fetch } = scriptFetch({ pieces });
  const maker = { api: model.api, provider: model.provider, model: model.id };
  const messages = earlier.flatMap((fields) => [
    { role: "user" as const, content: "Hi", timestamp: 0 },
    createResponse({ ...maker, content: [{ type: "text", text: "Ho." }], ...fields }),
  ]);
  const context = { messages: [...messages, { role: "user" as const, content: "And?", timestamp: 0 }] };
  return streamSimple(model, context, { apiKey: "k", fetch, maxRetries: 0 }).result();
}

const call = (text: string): object => ({
  tool_calls: [{ index: 0, id: "c", function: { name: "look", arguments: text } }],
});
const whole = (name: string, x: number, more: object): object => ({
  ...more,
  function: { name, arguments: JSON.stringify({ x }) },
});
const CUT_OFF = {
  stopReason: "error",
  error: { kind: "protocol" },
  errorMessage: "Stream ended without finish_reason",
};

describe.each(MODELS)("$api", (model) => {
  it("is complete with text or whole calls", async () => {
    const message = await answer(model, [{ content: "Yes." }]);
    expect(message).toMatchObject({ stopReason: "stop", diagnostics: [{ type: "missing_finish_reason" }] });
    expect((await answer(model, [call('{"a":1}')])).stopReason).not.toBe("error");
    expect((await answer(model, [call("")])).stopReason).not.toBe("error");
  });

  it.each<[string, object[][]]>([
    [
      "one after the other, without ids and with one index",
      ["a", "b", "c"].flatMap((name, at) => [
        [{ index: 0, function: { name, arguments: '{"x"' } }],
        [{ index: 0, function: { arguments: `:${at}}` } }],
      ]),
    ],
    [
      "one after the other, without ids and indexes, the name first",
      ["a", "b", "c"].flatMap((name, at) => [
        [{ function: { name, arguments: "" } }],
        [{ function: { arguments: `{"x":${at}}` } }],
      ]),
    ],
    ["whole in one piece, with one index", [["a", "b", "c"].map((name, at) => whole(name, at, { index: 0 }))]],
    ["whole in one piece, with indexes of null", [["a", "b", "c"].map((name, at) => whole(name, at, { index: null }))]],
    [
      "interleaved, with indexes and without ids",
      [
        ["a", "b", "c"].map((name, index) => ({ index, function: { name, arguments: '{"x"' } })),
        ...[2, 0, 1].map((index) => [{ index, function: { arguments: `:${index}}` } }]),
      ],
    ],
    [
      "interleaved, with indexes as text",
      [
        ["a", "b", "c"].map((name, at) => ({ index: String(at), function: { name, arguments: '{"x"' } })),
        ...[1, 2, 0].map((at) => [{ index: String(at), function: { arguments: `:${at}}` } }]),
      ],
    ],
    [
      "interleaved, with ids and without indexes",
      [
        ...["a", "b", "c"].map((name) => [{ id: `call_${name}`, function: { name, arguments: '{"x"' } }]),
        ...["a", "b", "c"].map((name, at) => [{ id: `call_${name}`, function: { arguments: `:${at}}` } }]),
      ],
    ],
  ])("separates three calls: %s", async (_, fragments) => {
    const message = await answer(
      model,
      fragments.map((calls) => ({ tool_calls: calls })),
    );
    const calls = message.content.filter((block) => block.type === "toolCall");
    expect(calls.map(({ name, arguments: args, argumentsError }) => [name, args, argumentsError])).toEqual(
      ["a", "b", "c"].map((name, x) => [name, { x }, undefined]),
    );
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
  });

  it("is cut off in a tool call", async () => {
    expect(await answer(model, [{ content: "Let me see." }, call('{"path":"/etc/ho')])).toMatchObject(CUT_OFF);
  });

  it("is cut off if the server ended an earlier response with a reason", async () => {
    expect(await answer(model, [{ content: "The answer is fort" }], [{ stopReason: "stop" }])).toMatchObject(CUT_OFF);
  });

  it("is complete if the server never names a reason", async () => {
    const unstated = { diagnostics: [{ type: "missing_finish_reason", timestamp: 0 }] };
    const earlier = [unstated, { stopReason: "aborted" as const }, { stopReason: "stop" as const, model: "another" }];
    expect((await answer(model, [{ content: "Yes." }], earlier)).stopReason).toBe("stop");
  });
});
