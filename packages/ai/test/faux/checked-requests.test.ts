/** A test with a faux model finds what a provider would refuse or leave out. */
import { complete, completeSimple, getModel, registerApiProvider, unregisterApiProviders } from "pi-ai";
import { createScriptedStreamFn, fauxToolCall, registerFauxProvider } from "pi-ai/testing";
import { afterAll, expect, test } from "vitest";

const faux = registerFauxProvider();
const model = faux.getModel();
afterAll(() => faux.unregister());

/** For what TypeScript refuses. */
const untyped = (value: unknown): never => value as never;

async function ask(context: unknown, options?: unknown) {
  faux.setResponses(["ok"]);
  return complete(model, untyped(context), untyped(options));
}

test.each([
  [{ maxSteps: 3 }, { maxSteps: "this option does not exist; onPayload can add fields to the request body" }],
  [
    { timeout: 30, abortSignal: 1 },
    { timeout: "write timeoutMs", abortSignal: "write signal" },
  ],
  [
    { system: "x", max_tokens: 5 },
    { system: "write systemPrompt, in the context", max_tokens: "write maxTokens" },
  ],
])("notes the options %j, which nobody reads", async (options, advice) => {
  const details = { options: advice };
  expect((await ask("hi", options)).diagnostics).toMatchObject([{ type: "unknown_options", details }]);
  const scripted = createScriptedStreamFn(["ok"])(getModel("openai", "gpt-6.2-sol"), untyped("hi"), untyped(options));
  expect((await scripted.result()).diagnostics).toMatchObject([{ type: "unknown_options", details }]);
});

test("notes no option of all apis or of a single one", async () => {
  const options = {
    reasoningEffort: "low",
    toolChoice: "auto",
    maxTokens: 10,
    limits: { blocks: 3 },
    apiKey: undefined,
  };
  expect((await ask("hi", options)).diagnostics).toBeUndefined();
});

test("notes results without their calls", async () => {
  const stray = { role: "toolResult", toolCallId: "1", toolName: "t", content: [], isError: false };
  const { diagnostics } = await ask({ messages: [{ role: "user", content: "hi" }, stray] });
  expect(diagnostics).toMatchObject([{ type: "tool_result_omitted", details: { count: 1 } }]);
});

test.each([
  [
    { timeoutMs: "30s" },
    'timeoutMs must be a number of milliseconds that is not negative (Infinity means no limit), got "30s"',
  ],
  [{ idleTimeoutMs: -1 }, "idleTimeoutMs must be a number of milliseconds"],
  [{ afterStopTimeoutMs: "1" }, "afterStopTimeoutMs must be a number of milliseconds"],
  [{ maxRetryDelayMs: null }, "maxRetryDelayMs must be a number of milliseconds"],
  [{ maxRetries: "2" }, 'maxRetries must be a whole number that is not negative (Infinity means no limit), got "2"'],
  [{ limits: { eventLen: 5 } }, 'limits: unknown option "eventLen". The options are eventLength,'],
  [{ limits: 5 }, "limits: the options must be an object of options, not 5"],
  [{ headers: new Headers({ a: "b" }) }, 'The option headers must be an object such as { "x-name": "value" }'],
  [{ headers: new Map([["a", "b"]]) }, 'The option headers must be an object such as { "x-name": "value" }'],
  [() => 5, "The options must be an object, not a function"],
])("refuses the options %j, as each provider does", async (options, text) => {
  expect((await ask("hi", options)).errorMessage).toContain(text);
  const scripted = createScriptedStreamFn(["ok"])(model, untyped("hi"), untyped(options));
  expect((await scripted.result()).errorMessage).toContain(text);
  const sonnet = getModel("anthropic", "claude-sonnet-5-5");
  expect((await completeSimple(sonnet, "hi", untyped(options))).errorMessage).toContain(text);
});

test.each([
  [
    { type: "image", image: "x" },
    'content[0].data must be base64, such as buffer.toString("base64"), but it is undefined.',
  ],
  [{ type: "image", data: Buffer.from("x"), mimeType: "image/png" }, "content[0].data must be base64"],
  [{ type: "image", data: "aGk=" }, 'content[0].mimeType must be a type such as "image/png", but it is undefined.'],
  [{ type: "file", data: 5, mimeType: "application/pdf" }, "content[0].data must be base64"],
  [{ type: "file", url: "https://example.com/a.pdf" }, "content[0].mimeType must be a type"],
])("refuses the block %j, with or without a time", async (block, text) => {
  for (const timestamp of [undefined, 0]) {
    const { errorMessage } = await ask({ messages: [{ role: "user", content: [block], timestamp }] });
    expect(errorMessage).toContain(`context.messages[0].${text}`);
  }
});

test("refuses a text in place of a list of responses, and an id in place of a model", () => {
  expect(() => faux.setResponses(untyped("ok"))).toThrow('Responses are given as a list, such as ["Hello"]');
  expect(() => faux.appendResponses(untyped("ok"))).toThrow("Responses are given as a list");
  expect(() => registerFauxProvider({ models: untyped(["a"]) })).toThrow('needs models such as { id: "faux-1" }');
});

test("plays no call whose arguments are a text", async () => {
  faux.setResponses([fauxToolCall("t", untyped("{}"))]);
  expect((await complete(model, "hi")).errorMessage).toContain("The arguments of a faux block must be an object");
});

test("a registered function that returns no stream says so", async () => {
  registerApiProvider({ api: "none", stream: untyped(() => undefined), streamSimple: untyped(async () => 5) }, "none");
  const text =
    "The stream function of the api none returned no event stream. Return createAssistantMessageEventStream()";
  await expect(complete({ ...model, api: "none" }, "hi")).rejects.toThrow(text);
  await expect(completeSimple({ ...model, api: "none" }, "hi")).rejects.toThrow(text);
  unregisterApiProviders("none");
});

test.each([
  ["", "Model m of anthropic has no baseUrl. Write the address of its server, with https:// or http://"],
  ["api.host", 'Model m of anthropic has no valid baseUrl: "api.host". Begin it with https:// or http://'],
])("names the missing address of a model: %j", async (baseUrl, text) => {
  const sonnet = { ...getModel("anthropic", "claude-sonnet-5-5"), id: "m", baseUrl };
  expect((await complete(sonnet, "hi", { apiKey: "key" })).errorMessage).toBe(text);
});

test("names a fetch that returns nothing", async () => {
  const fetch = untyped(async () => undefined);
  const { errorMessage } = await complete(getModel("anthropic", "claude-sonnet-5-5"), "hi", { apiKey: "key", fetch });
  expect(errorMessage).toContain("The option fetch must return a Response, not undefined");
});
