/**
 * Common mistakes of newcomers and the resulting errors. Each is made through the types (`@ts-expect-error` if it must
 * not compile) and in plain JavaScript.
 */

import {
  type AssistantMessage,
  type Context,
  calculateCost,
  complete,
  completeSimple,
  EventStream,
  getModel,
  type Model,
  messageText,
  type ProviderStreamOptions,
  registerApiProvider,
  registerModels,
  type SimpleStreamOptions,
  type StreamOptions,
  StringEnum,
  stream,
  streamAnthropic,
  streamSimple,
  streamSimpleAnthropic,
  unregisterApiProviders,
} from "pi-ai";
import { choice, completeObject, enumOf } from "pi-ai/object";
import { createProxyHandler } from "pi-ai/proxy-server";
import { createScriptedStreamFn } from "pi-ai/testing";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

const CONTEXT: Context = { messages: [{ role: "user", content: "Hi", timestamp: 0 }] };

/** The same functions without types, as JavaScript callers see them. */
const untyped = { complete, completeSimple, getModel, stream, streamAnthropic } as unknown as Record<
  "complete" | "completeSimple" | "getModel" | "stream" | "streamAnthropic",
  (...args: unknown[]) => Promise<AssistantMessage>
>;

const untypedOptions = (options: object): SimpleStreamOptions => options as SimpleStreamOptions;

/** Of the providers here. */
// biome-ignore lint/style/noProcessEnv: the keys of this machine must not reach the tests.
const KEYS = Object.keys(process.env).filter((name) => /(?:KEY|TOKEN)$/.test(name));

beforeEach(() => {
  for (const name of KEYS) vi.stubEnv(name, "");
});
afterEach(() => void vi.unstubAllEnvs());

describe("an id that the catalogue does not have", () => {
  test("does not compile as a literal, and is undefined at run time", () => {
    // @ts-expect-error the catalogue writes claude-sonnet-4-6
    expect(getModel("anthropic", "claude-sonnet-4.6")).toBeUndefined();
  });

  test("compiles as a string, as a template, and for a custom provider", () => {
    const id: string = "claude-sonnet-4.6";
    const size: string = "huge";
    const model: Model | undefined = getModel("anthropic", id);
    expect(model).toBeUndefined();
    expect(getModel("anthropic", `claude-${size}`)).toBeUndefined();
    expect(getModel("our-gateway", "house-model")).toBeUndefined();
    const known: Model<"anthropic-messages"> = getModel("anthropic", "claude-sonnet-4-6");
    expect(known.id).toBe("claude-sonnet-4-6");
  });

  test("produces an error with the nearest existing ids when it is used", async () => {
    const model = untyped.getModel("anthropic", "claude-sonnet-4.6");
    const text =
      'The argument "model" must be a model object, such as getModel("anthropic", "claude-sonnet-5-5"), but it is ' +
      'undefined. getModel("anthropic", "claude-sonnet-4.6") found no model; the nearest known ids are ' +
      '"claude-sonnet-4-6", "claude-sonnet-4-5", ';
    for (const call of Object.values({ ...untyped, getModel: untyped.complete })) {
      await expect(async () => call(model, CONTEXT)).rejects.toThrow(text);
    }
    // @ts-expect-error a request needs a model
    await expect(complete(undefined, CONTEXT)).rejects.toThrow(text);
  });

  test("of an unknown provider produces such an error too", async () => {
    const model = untyped.getModel("antropic", "claude-sonnet-4-6");
    await expect(untyped.complete(model, CONTEXT)).rejects.toThrow(
      'undefined. getModel("antropic", "claude-sonnet-4-6") found no model: no model of this provider is known.',
    );
  });

  test.each([
    ["antropic", "claude-sonnet-5-5", 'no model of this provider is known. Did you mean "anthropic"?'],
    ["bedrock", "claude", 'no model of this provider is known. Did you mean "amazon-bedrock"?'],
    ["grok", "grok-4.5", 'no model of this provider is known. It is a model of "github-copilot", "opencode", "xai".'],
    ["ollama", "llama3", "getProviders() lists those that are. A model of a server of your own is an object"],
    ["anthropic", "gpt-6.2-sol", 'It is a model of "azure", "cloudflare-ai-gateway", "github-copilot", "openai", '],
  ])("that is of another provider names it: %s, %s", async (provider, id, text) => {
    await expect(untyped.complete(untyped.getModel(provider, id), CONTEXT)).rejects.toThrow(text);
  });
});

describe("a value that is not a model", () => {
  test("may be a name, which other libraries accept", async () => {
    await expect(
      // @ts-expect-error a name is not a model
      complete("openai/gpt-5.4", CONTEXT),
    ).rejects.toThrow(
      'The argument "model" must be a model object, such as getModel("anthropic", "claude-sonnet-5-5"), but it is the ' +
        'string "openai/gpt-5.4". Write getModel("openai", "gpt-5.4").',
    );
    await expect(untyped.complete("gpt-5.4", CONTEXT)).rejects.toThrow(
      'the string "gpt-5.4". Write getModel(provider, "gpt-5.4").',
    );
  });

  test.each([
    [null, "but it is null."],
    [5, "but it is a number."],
    [CONTEXT, "but it is an object without an api."],
  ])("is rejected: %j", async (model, text) => {
    await expect(untyped.complete(model, CONTEXT)).rejects.toThrow(text);
  });

  test("may be the placeholder of an agent without a model", async () => {
    const unknown = { ...getModel("anthropic", "claude-sonnet-4-6"), id: "unknown", api: "unknown" };
    await expect(complete(unknown, CONTEXT)).rejects.toThrow(
      'No model was given. An Agent takes it as initialState.model: new Agent({ initialState: { model: getModel("anthropic", "claude-sonnet-5-5") } }).',
    );
  });
});

describe("no API key", () => {
  test.each([
    [
      getModel("anthropic", "claude-sonnet-4-6"),
      "No API key for provider: anthropic. Set the environment variable ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN or " +
        "ANTHROPIC_OAUTH_TOKEN, or pass the option apiKey.",
    ],
    [
      getModel("openai", "gpt-5.4"),
      "No API key for provider: openai. Set the environment variable OPENAI_API_KEY, or pass the option apiKey.",
    ],
    [
      getModel("openai-codex", "gpt-5.6-sol"),
      "No API key for provider: openai-codex. This provider needs the access token of a ChatGPT login; an " +
        "OpenAI API key does not work. Pass it as the option apiKey.",
    ],
    [
      getModel("github-copilot", "claude-haiku-4.5"),
      "No API key for provider: github-copilot. This provider needs a GitHub token of an account with Copilot, from a " +
        "login. Set the environment variable COPILOT_GITHUB_TOKEN or GH_TOKEN or GITHUB_TOKEN, or pass the option apiKey.",
    ],
    [
      { ...getModel("google", "gemini-3-flash-preview"), provider: "code-assist", api: "google-gemini-cli" as const },
      "No API key for provider: code-assist. Cloud Code Assist needs the token of a Google login, as JSON: " +
        '{ "token", "projectId" }. Pass it as the option apiKey.',
    ],
    [
      { ...getModel("openai", "gpt-5.4"), provider: "our-gateway" },
      "No API key for provider: our-gateway. Pass it as the option apiKey.",
    ],
  ])("of $provider", async (model, text) => {
    const message = await completeSimple(model, CONTEXT);
    expect(message).toMatchObject({ stopReason: "error", errorMessage: text, error: { kind: "auth_missing" } });
  });
});

describe("options that the api does not have", () => {
  const model = getModel("anthropic", "claude-sonnet-4-6");
  /** Rejects every request, so that nothing is sent. */
  const refusing: StreamOptions = {
    apiKey: "key",
    maxRetries: 0,
    fetch: async () => new Response("{}", { status: 400 }),
  };

  test("do not compile", () => {
    // @ts-expect-error reasoning is an option of completeSimple
    stream(model, CONTEXT, { ...refusing, reasoning: "high" });
    // @ts-expect-error the name is maxTokens
    stream(model, CONTEXT, { max_tokens: 5, ...refusing });
    // @ts-expect-error no api has this option
    stream(model, CONTEXT, { notAnOption: 0.1, ...refusing });
    // @ts-expect-error another api has this option
    stream(model, CONTEXT, { ...refusing, textVerbosity: "low" });
    // @ts-expect-error the api's own options are not simple options
    streamSimple(model, CONTEXT, { ...refusing, effort: "high" });
    stream(model, CONTEXT, { ...refusing, effort: "high", maxTokens: 5 });
  });

  test("compile if the api is not known, for a custom api, and in functions for any api", () => {
    const dynamic: Model = model;
    const ask = <TApi extends string>(any: Model<TApi>): unknown => stream(any, CONTEXT, { ...refusing, maxTokens: 5 });
    const options: ProviderStreamOptions = { ...refusing, maxTokens: 5 };
    stream(dynamic, CONTEXT, { ...refusing, whatever: 1 });
    stream(model, CONTEXT, options);
    ask(model);
    const own: Model<"our-api"> = { ...model, api: "our-api", compat: {} };
    const seen: unknown[] = [];
    const play = (_model: Model, _context: Context, given?: object) => {
      seen.push(given);
      return stream(model, CONTEXT, refusing);
    };
    registerApiProvider({ api: "our-api", stream: play, streamSimple: play }, "mistakes");
    stream(own, CONTEXT, { loudness: 3 });
    expect(seen).toEqual([{ loudness: 3 }]);
    unregisterApiProviders("mistakes");
  });

  test("are reported once, with the fix", async () => {
    const options = {
      ...refusing,
      reasoning: "high",
      max_tokens: 5,
      notAnOption: 0.1,
      temprature: 1,
      signal: undefined,
    };
    const message = await untyped.complete(model, CONTEXT, options);
    expect(message.diagnostics).toEqual([
      {
        type: "unknown_options",
        timestamp: expect.any(Number),
        details: {
          api: "anthropic-messages",
          options: {
            reasoning: "use streamSimple or completeSimple",
            max_tokens: "write maxTokens",
            notAnOption: "this option does not exist; onPayload can add fields to the request body",
            temprature: "write temperature",
          },
        },
      },
    ]);
  });

  test("are recognized as names of other libraries", async () => {
    const options = { ...refusing, abortSignal: 1, system: "", thinkingLevel: "high", baseURL: "" };
    const message = await untyped.completeSimple(model, CONTEXT, options);
    expect(message.diagnostics?.[0]?.details?.["options"]).toEqual({
      abortSignal: "write signal",
      system: "write systemPrompt, in the context",
      thinkingLevel: "write reasoning, for streamSimple or completeSimple",
      baseURL: "set baseUrl on the model",
    });
  });

  test("are not reported if all are known", async () => {
    const simple = await completeSimple(model, CONTEXT, { ...refusing, reasoning: "high", toolChoice: "none" });
    const native = await complete(model, CONTEXT, { ...refusing, effort: "high", headers: {} });
    expect([simple.diagnostics, native.diagnostics]).toEqual([undefined, undefined]);
  });
});

describe("an invalid context", () => {
  const model = getModel("anthropic", "claude-sonnet-4-6");
  const refusing = { apiKey: "key", maxRetries: 0, fetch: async () => new Response("{}", { status: 400 }) };

  test.each([
    [
      undefined,
      'The argument "context" must be a prompt or an object such as { systemPrompt, messages, tools }, but it is undefined.',
    ],
    [
      [],
      'The argument "context" must be a prompt or an object such as { systemPrompt, messages, tools }, but it is a list.',
    ],
    [{ prompt: "Hi" }, "The context has `prompt`. Write messages."],
    [{}, "context.messages must be a list of messages or a string, but it is undefined."],
    [{ messages: ["Hi"] }, 'context.messages[0] must be a message, but it is "Hi".'],
    [
      {
        messages: [
          { role: "user", content: "Hi" },
          { role: "tool", content: "sunny" },
        ],
      },
      'context.messages[1] has the role "tool". Write "toolResult".',
    ],
    [{ system: "Be brief.", messages: "Hi" }, "The context has `system`. Write systemPrompt."],
    [
      { messages: [{ role: "narrator", content: "Once" }] },
      'context.messages[0] has the role "narrator". Write "user", "assistant", "toolResult" or "system".',
    ],
    [
      { messages: [{ content: "Hi" }] },
      'context.messages[0] has the role undefined. Write "user", "assistant", "toolResult" or "system".',
    ],
    [
      { messages: [{ role: "system", content: 5 }] },
      "context.messages[0] is a system message; its content must be text.",
    ],
    [
      { messages: "Hi", tools: [{ name: "look", description: "", parameters: v.object({}) }] },
      'The parameters of tool "look" are a schema of valibot, which does not describe itself as JSON Schema. Write ' +
        "createToolParameters(schema, toJsonSchema), with toJsonSchema of @valibot/to-json-schema",
    ],
  ])("ends with an error that names the place: %j", async (context, text) => {
    for (const call of [untyped.complete, untyped.completeSimple]) {
      const message = await call(model, context, refusing);
      expect(message).toMatchObject({ stopReason: "error", errorMessage: text, error: { kind: "config" } });
    }
    const scripted = createScriptedStreamFn([]);
    // A caller in plain JavaScript.
    expect((await scripted(model, context as Context).result()).errorMessage).toBe(text);
    expect(scripted.calls).toEqual([]);
  });

  test("does not compile", () => {
    // @ts-expect-error an unknown role
    void complete(model, { messages: [{ role: "tool", content: "sunny" }] }, refusing);
    // @ts-expect-error a list of messages is not a context
    void complete(model, [], refusing);
    // @ts-expect-error no messages
    void complete(model, { prompt: "Hi" }, refusing);
  });

  test("accepts a system message, a string or a message without a timestamp", async () => {
    const bodies: unknown[] = [];
    const options = {
      ...refusing,
      cacheRetention: "none" as const,
      onPayload: (body: unknown) => void bodies.push(body),
    };
    await complete(model, "Hi", options);
    await completeSimple(model, { messages: "Hi" }, options);
    await streamAnthropic(model, { messages: [{ role: "user", content: "Hi", timestamp: 0 }] }, options).result();
    await stream(model, { messages: [{ role: "user", content: "Hi" }] }, options).result();
    await complete(
      model,
      {
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "Hi" },
        ],
      },
      options,
    );
    const messages = [{ role: "user", content: [{ type: "text", text: "Hi" }] }];
    expect(bodies).toMatchObject([{ messages }, { messages }, { messages }, { messages }, { messages }]);
    expect(bodies[4]).toMatchObject({ system: [{ type: "text", text: "Be brief." }] });
  });
});

describe("what a first program gets wrong", () => {
  const MODEL = getModel("anthropic", "claude-sonnet-4-6");
  const failed = async (context: unknown): Promise<string | undefined> => {
    const fetch = async (): Promise<Response> => {
      throw new Error("a request was sent");
    };
    return (await untyped.complete(MODEL, context, { apiKey: "k", fetch, maxRetries: 0 })).errorMessage;
  };
  const content = (block: unknown): object => ({ messages: [{ role: "user", content: [block] }] });

  test.each([
    [
      Promise.resolve("Hi"),
      'The argument "context" must be a prompt or an object such as { systemPrompt, messages, tools }, but it is a promise: await it.',
    ],
    [{ messages: "Hi", tools: { a: {} } }, "context.tools must be a list of tools, but it is an object."],
    [
      { messages: "Hi", tools: [{ name: "a", description: "", parameters: "{}" }] },
      'The parameters of tool "a" must be a schema, but they are a text. Parse it.',
    ],
    [
      content({ type: "image_url", image_url: { url: "x" } }),
      'context.messages[0].content[0] has the type "image_url". Write { type: "text", text }, { type: "image", data, mimeType }, or a block of the type "file".',
    ],
    [content("Hi"), 'context.messages[0].content[0] must be a block such as { type: "text", text }, but it is "Hi".'],
    [content({ type: "text", text: 5 }), "context.messages[0].content[0].text must be a string, but it is 5."],
  ])("the context %j", async (context, text) => expect(await failed(context)).toBe(text));

  test("a model that is a promise, and ids that are swapped or misspelled", async () => {
    await expect(async () => untyped.complete(Promise.resolve(MODEL), CONTEXT)).rejects.toThrow(
      "but it is a promise: await it.",
    );
    await expect(async () =>
      untyped.complete(untyped.getModel("antropic", "claude-sonnet-4-6"), CONTEXT),
    ).rejects.toThrow('no model of this provider is known. Did you mean "anthropic"?');
    await expect(async () => untyped.complete(untyped.getModel("claude-sonnet-4-6"), CONTEXT)).rejects.toThrow(
      "found no model: it takes a provider and an id.",
    );
  });

  test("the text of a response that nobody has awaited, or of none", () => {
    // @ts-expect-error a promise is no message
    expect(() => messageText(complete(MODEL, CONTEXT, { signal: AbortSignal.abort() }))).toThrow(
      new TypeError("messageText takes a message, but it got a promise: await it."),
    );
    // @ts-expect-error nothing is no message
    expect(() => messageText(undefined)).toThrow(new TypeError("messageText takes a message, but it got undefined."));
  });

  test("an example of an object in place of its schema", async () => {
    const streamFn = createScriptedStreamFn([]);
    await expect(completeObject(MODEL, "Hi", { schema: { name: "string", age: "number" }, streamFn })).rejects.toThrow(
      'The option "schema" is no JSON Schema: it has the keys name, age. Write Type.Object({ name: Type.String() }), or another schema of an object.',
    );
    expect(streamFn.calls).toEqual([]);
  });

  test("a level that does not exist, on every way", async () => {
    const text = 'The option reasoning has the level "hihg". Write "high": the levels are "off", "minimal", "low", ';
    const options = untypedOptions({ reasoning: "hihg" });
    expect(() => streamSimple(MODEL, "Hi", options)).toThrow(text);
    expect(() => streamSimpleAnthropic(MODEL, { messages: [] }, options)).toThrow(text);
    await expect(completeSimple(MODEL, "Hi", options)).rejects.toThrow(text);
    expect(() => streamSimple(MODEL, "Hi", untypedOptions({ reasoning: true }))).toThrow(
      'The option reasoning has the level true. Write "off", ',
    );
    const signal = AbortSignal.abort();
    for (const none of [null, undefined, "off"])
      expect(await completeSimple(MODEL, "Hi", untypedOptions({ reasoning: none, signal }))).toMatchObject({
        stopReason: "aborted",
      });
  });

  test.each([
    [
      { ...MODEL, input: undefined },
      'The model "claude-sonnet-4-6" lacks a field. Write input: ["text"], or ["text", "image"].',
    ],
    [
      { ...MODEL, cost: undefined },
      'The model "claude-sonnet-4-6" lacks a field. Write cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, in US dollars per million tokens.',
    ],
  ])("a model without a field that each request reads", async (model, text) => {
    await expect(untyped.complete(model, "Hi", { signal: AbortSignal.abort() })).rejects.toThrow(text);
  });

  const day = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
  test.each([
    [{ cacheRead: undefined }, "cost.cacheRead must be a number of 0 or more, not undefined"],
    [{ input: -1 }, "cost.input must be a number of 0 or more, not -1"],
    [{ changes: [{ ...day, from: "soon" }] }, 'cost.changes[0].from must be a day such as 2026-12-01, not "soon"'],
    [{ changes: [{ ...day, from: "2026-02-30" }] }, "cost.changes[0].from must be a day such as 2026-12-01"],
    [
      { changes: ["2026-12-01", "2026-12-01"].map((from) => ({ ...day, from })) },
      'cost.changes[1].from must be a day after 2026-12-01, not "2026-12-01"',
    ],
    [
      { changes: ["2026-12-01", "2026-11-30"].map((from) => ({ ...day, from })) },
      'cost.changes[1].from must be a day after 2026-12-01, not "2026-11-30"',
    ],
    [{ changes: [{ ...day, from: "2026-12-01", output: -1 }] }, "cost.changes[0].output must be a number of 0 or more"],
    [{ tiers: [{ ...day, inputTokensAbove: 0 }] }, "cost.tiers[0].inputTokensAbove must be a whole number above 0"],
  ])("a price that cannot be counted: %j", async (wrong, text) => {
    const model = { ...MODEL, cost: { ...MODEL.cost, ...wrong } };
    const request = untyped.complete(model, "Hi", { signal: AbortSignal.abort() });
    await expect(request).rejects.toThrow(`The model "${MODEL.id}" has a wrong price: ${text}`);
    expect(() => registerModels([model as Model])).toThrow(`registerModels: models[0]: ${text}`);
  });

  test.each<[options: object, text: string]>([
    [{ apiKey: { key: "secret" } }, "The option apiKey must be a string, not of the type object"],
    [{ maxTokens: "100" }, 'The option maxTokens must be a whole number of 1 or more, not "100"'],
    [{ maxTokens: -1 }, "The option maxTokens must be a whole number of 1 or more, not -1"],
    [{ maxTokens: null }, "The option maxTokens must be a whole number of 1 or more, not null"],
    [{ sessionId: 7 }, "The option sessionId must be a string, not 7"],
    [{ metadata: "me" }, 'The option metadata must be an object such as { user_id: "u1" }, not "me"'],
    [{ metadata: { user_id: 5 } }, 'The option metadata must be an object such as { user_id: "u1" }, not an object'],
    [
      { toolChoice: "anyy" },
      `The option toolChoice must be "auto", "none", "required" or the api's own form, not "anyy"`,
    ],
    [
      { toolChoice: "Auto" },
      `The option toolChoice must be "auto", "none", "required" or the api's own form, not "Auto"`,
    ],
    [{ toolChoice: "" }, `The option toolChoice must be "auto", "none", "required" or the api's own form, not ""`],
    [{ toolChoice: true }, `The option toolChoice must be "auto", "none", "required" or the api's own form, not true`],
    [{ temperature: "hot" }, 'The option temperature must be a number, not "hot"'],
    [
      { headers: [["a", "b"]] },
      'The option headers must be an object such as { "x-name": "value" }, not of the type list',
    ],
    [{ fetch: "x" }, 'The option fetch must be a function, not "x"'],
    [{ onPayload: "x" }, 'The option onPayload must be a function, not "x"'],
    [
      { transport: "ws" },
      'The option transport must be one of "auto", "sse", "websocket", "websocket-cached", not "ws"',
    ],
    [{ cacheRetention: "ever" }, 'The option cacheRetention must be one of "none", "short", "long", not "ever"'],
  ])("an option of a wrong type: %j", async (wrong, text) => {
    const options = untypedOptions({ apiKey: "k", signal: AbortSignal.abort(), ...wrong });
    expect(await completeSimple(MODEL, "Hi", options)).toMatchObject({ errorMessage: text, error: { kind: "config" } });
  });

  test.each<[make: () => unknown, text: string]>([
    [() => new EventStream(...([] as unknown as [never, never])), "An EventStream needs two functions"],
    [() => StringEnum("a" as never), "StringEnum needs a list of values"],
    [() => enumOf("a" as never), "enumOf needs a list of values"],
    [() => choice(["a", "b"] as never), "choice needs labels with descriptions"],
    [() => registerModels(MODEL as never), "registerModels needs a list of models"],
    [() => registerApiProvider({ api: "x" } as never), "registerApiProvider needs { api, stream, streamSimple }"],
    [() => createScriptedStreamFn("Hello" as never), "Responses are given as a list"],
    [() => createProxyHandler({} as never), "createProxyHandler needs authorize"],
    [() => createProxyHandler({ authorize: "token" } as never), "createProxyHandler needs allowModels"],
  ])("an argument of another form: %#", (make, text) => expect(make).toThrow(text));

  test("a cost of what is no usage", () => {
    const cost =
      (...args: unknown[]) =>
      () =>
        (calculateCost as (...args: unknown[]) => unknown)(...args);
    expect(cost(MODEL)).toThrow(
      new TypeError(
        "calculateCost(model, usage) needs the usage of a message, but it is undefined. Write calculateCost(model, message.usage)",
      ),
    );
    expect(cost(MODEL, { role: "assistant", usage: {} })).toThrow(
      "usage.input must be a number of tokens, but it is undefined. Write calculateCost(model, message.usage)",
    );
    expect(cost(undefined, {})).toThrow("calculateCost needs a model with prices, but model.cost is undefined");
    const counts = { input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 0 };
    expect(cost(MODEL, counts)()).toMatchObject({ input: MODEL.cost.input, total: MODEL.cost.input });
  });
});
