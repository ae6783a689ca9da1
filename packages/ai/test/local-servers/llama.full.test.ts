/** The library against llama.cpp's server, whose model babbles: every answer is new, and none may be misread. */
import { Type } from "@sinclair/typebox";
import {
  type AssistantMessage,
  type AssistantMessageEvent,
  type Context,
  type Message,
  type Model,
  type SimpleStreamOptions,
  streamSimple,
  type Tool,
} from "pi-ai";
import { countTokens } from "pi-ai/count";
import { completeObject } from "pi-ai/object";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { eventually } from "../../../../test/support/patience.js";
import { user } from "../handoff/conversations.js";
import { checkEvents } from "../support/check-events.js";
import { hasLlamaServer, type LlamaServer, SKIPPED, startLlama, TEMPLATES } from "./llama-server.js";
import { LOCAL_APIS, type LocalApi, localModel } from "./local-model.js";

/** More rounds ask more of the same. One round takes about a minute of one core. */
// biome-ignore lint/style/noProcessEnv: a test's own setting, not the library's.
const ROUNDS = Number(process.env["PI_LOCAL_ROUNDS"] || 1);
const QUESTIONS = 4 * ROUNDS;
/** Tokens in an answer. */
const LIMIT = 60;
const TOOLS: Tool[] = [
  { name: "look", description: "Looks", parameters: Type.Object({ at: Type.String({ maxLength: 8 }) }) },
  { name: "add", description: "Adds", parameters: Type.Object({ a: Type.Integer(), b: Type.Integer() }) },
];

/** What the model of the test writes now and then, and the server cannot read. It is an error of the server's. */
const MISFORMED = /does not match the expected|failed to parse|Failed to parse/i;

const figures = new Map<LocalApi, { asked: number; right: number }>();
const servers: LlamaServer[] = [];

/** A model with an api of such servers. */
type LocalModel = Model<LocalApi>;

async function start(...given: Parameters<typeof startLlama>): Promise<LlamaServer> {
  const server = await startLlama(...given);
  servers.push(server);
  return server;
}

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

afterAll(() => {
  for (const [api, { asked, right }] of figures)
    process.stdout.write(`llama-server, ${api}: ${right} of ${asked} right\n`);
});

/** Seeds the sampler where the api has a field for it. */
function seeded(api: LocalApi, seed: number): Pick<SimpleStreamOptions, "onPayload"> {
  if (api === "anthropic-messages") return {};
  return { onPayload: (payload) => ({ ...Object(payload), seed, cache_prompt: false }) };
}

/** Asks, and checks what holds for every answer. */
async function ask(model: LocalModel, context: Context, options: SimpleStreamOptions = {}): Promise<AssistantMessage> {
  const count = figures.get(model.api) ?? { asked: 0, right: 0 };
  figures.set(model.api, count);
  count.asked++;
  const events: AssistantMessageEvent[] = [];
  for await (const event of streamSimple(model, context, { maxTokens: LIMIT, maxRetries: 0, ...options }))
    events.push(event);
  const message = checkEvents(events);
  if (message.stopReason === "error") {
    expect(message.errorMessage).toMatch(MISFORMED);
    expect(message.error).toMatchObject({ kind: "server", status: 500 });
  } else {
    expect(["stop", "length", "toolUse"]).toContain(message.stopReason);
    expect(message.usage.totalTokens).toBeGreaterThan(0);
  }
  for (const block of message.content) if (block.type === "toolCall") expect(block.name).not.toBe("");
  count.right++;
  return message;
}

const local = (api: LocalApi, { url }: LlamaServer, fields: Partial<LocalModel> = {}): LocalModel =>
  localModel(api, url, fields);

/** Four ways of asking, by turns. */
function question(number: number): [Context, SimpleStreamOptions] {
  const context: Context = { systemPrompt: "Help.", messages: [user(`Question ${number}`)] };
  const ways: [Context, SimpleStreamOptions][] = [
    [context, {}],
    [context, { reasoning: "low" }],
    [{ ...context, tools: TOOLS }, {}],
    [{ ...context, tools: TOOLS }, { toolChoice: "required" }],
  ];
  return ways[number % ways.length] ?? [context, {}];
}

/** A conversation that goes on after every answer, with results for its tool calls. */
async function converse(model: LocalModel, seed: number, turns: number): Promise<void> {
  const messages: Message[] = [user("Begin")];
  for (let turn = 0; turn < turns; turn++) {
    const message = await ask(
      model,
      { messages, tools: TOOLS },
      { ...seeded(model.api, seed + turn), temperature: 0.7 + turn / 10 },
    );
    messages.push(message);
    if (message.stopReason === "error") {
      messages.push(user("Go on"));
      continue;
    }
    const calls = message.content.filter((block) => block.type === "toolCall");
    for (const { id, name } of calls) {
      const content = [{ type: "text" as const, text: "done" }];
      messages.push({ role: "toolResult", toolCallId: id, toolName: name, content, isError: false, timestamp: 0 });
    }
    if (calls.length === 0 || message.stopReason === "length") messages.push(user("Go on"));
  }
}

/** Waits until every slot of the server is free. */
async function allSlotsAreFree({ url }: LlamaServer): Promise<void> {
  await eventually(async () => {
    const slots: unknown = await (await fetch(`${url}/slots`)).json();
    expect(slots).toBeInstanceOf(Array);
    for (const slot of Array.isArray(slots) ? slots : []) expect(slot.is_processing).toBe(false);
  });
}

const LONG: SimpleStreamOptions = {
  maxTokens: 3000,
  onPayload: (payload) => ({ ...Object(payload), ignore_eos: true, seed: 5 }),
};

describe.skipIf(!hasLlamaServer)(`llama-server${SKIPPED}`, () => {
  describe.each(TEMPLATES)("%s", (template) => {
    it("is read on every wire", async () => {
      const server = await start({ template, args: ["-s", "11"] });
      for (const api of LOCAL_APIS) {
        const model = local(api, server);
        for (let number = 0; number < QUESTIONS; number++) {
          const [context, options] = question(number);
          await ask(model, context, {
            ...seeded(api, 100 + number),
            temperature: 0.6 + (number % 20) / 20,
            ...options,
          });
        }
      }
    });

    it("takes back what it said, on every wire", async () => {
      const server = await start({ template, args: ["-s", "23"] });
      for (const api of LOCAL_APIS) {
        for (let round = 0; round < ROUNDS; round++) await converse(local(api, server), 1 + 40 * round, 3);
      }
    });
  });

  it.each(LOCAL_APIS)("joins messages for a template that demands alternation, on %s", async (api) => {
    const server = await start({ template: "mistralai-Mistral-Nemo-Instruct-2407" });
    const model = local(api, server);
    const aborted = new AbortController();
    aborted.abort();
    const failed = await streamSimple(model, "Hi", { signal: aborted.signal }).result();
    const messages = [user("One"), failed, user("Two")];
    expect((await ask(model, { messages })).diagnostics).toMatchObject([{ type: "roles_joined" }]);
    const told = { ...model, compat: { requiresAlternatingRoles: true } };
    expect((await ask(told, { messages })).diagnostics).toBeUndefined();
  });

  it.each(LOCAL_APIS)("sends thinking back after a limit, on %s", async (api) => {
    const server = await start({
      template: "deepseek-ai-DeepSeek-V3.1",
      env: { LLAMA_SERVER_SLOTS_DEBUG: "1" },
      args: ["-np", "1"],
    });
    const model = local(api, server);
    const think = () => ask(model, { messages: [user("Hi")] }, { maxTokens: 4, reasoning: "low" });
    let thought = await think();
    // What the model writes is random: it may end its thoughts at once, or write what the server cannot read.
    const isThought = () => thought.stopReason !== "error" && thought.content.every(({ type }) => type === "thinking");
    for (let tries = 1; !isThought() && tries < 40; tries++) thought = await think();
    expect(thought.content).toMatchObject([{ type: "thinking" }]);
    let sent: unknown;
    const onPayload = (payload: unknown): void => {
      sent = payload;
    };
    await ask(model, { messages: [user("Hi"), thought, user("And?")] }, { onPayload });
    const [block] = thought.content;
    expect(JSON.stringify(sent)).toContain(
      JSON.stringify(block?.type === "thinking" ? block.thinking : "?").slice(1, -1),
    );
  });

  it("does not think without a level, on Chat Completions", async () => {
    const server = await start({ template: "Qwen-Qwen3-0.6B" });
    const prompts: string[] = [];
    const onPayload = async (payload: unknown): Promise<void> => {
      const response = await fetch(`${server.url}/apply-template`, { method: "POST", body: JSON.stringify(payload) });
      prompts.push(String(Object(await response.json()).prompt));
    };
    const model = local("openai-completions", server);
    await ask(model, { messages: [user("Hi")] }, { onPayload });
    await ask(model, { messages: [user("Hi")] }, { onPayload, reasoning: "low" });
    expect(prompts.map((prompt) => /<think>\s*<\/think>/.test(prompt))).toEqual([true, false]);
  });

  it("is given a key only where it wants one", async () => {
    const server = await start({ args: ["--api-key", "k"] });
    for (const api of LOCAL_APIS) {
      const model = local(api, server);
      const refused = await streamSimple(model, "Hi", { maxRetries: 0 }).result();
      expect(refused).toMatchObject({ stopReason: "error", error: { kind: "auth", status: 401 } });
      await ask(model, { messages: [user("Hi")] }, { apiKey: "k" });
    }
  });

  it("is asked at the address that the error names", async () => {
    const server = await start();
    const wrong = { ...local("anthropic-messages", server), baseUrl: `${server.url}/v1` };
    const { errorMessage } = await streamSimple(wrong, "Hi", { maxRetries: 0 }).result();
    expect(errorMessage).toContain(`asked: ${server.url}/v1/v1/messages; the baseUrl is probably ${server.url})`);
  });

  it.each(LOCAL_APIS)("counts the tokens of a prompt as it does itself, on %s", async (api) => {
    const server = await start();
    const model = local(api, server);
    const context = { systemPrompt: "Help.", messages: [user("How many tokens is this?")], tools: TOOLS };
    const { source, tokens } = await countTokens(model, context);
    // The server fails in some responses, and then reports no counts.
    let message = await ask(model, context);
    for (let tries = 1; message.stopReason === "error" && tries < 20; tries++) message = await ask(model, context);
    const { usage } = message;
    expect({ source, tokens }).toEqual({ source: "provider", tokens: usage.input + usage.cacheRead });
  });

  it("types answers by its grammar, on Chat Completions", async () => {
    const server = await start({ template: "mistralai-Mistral-Nemo-Instruct-2407" });
    const schema = Type.Object({
      city: Type.String({ maxLength: 12 }),
      people: Type.Integer({ minimum: 1, maximum: 9000 }),
      river: Type.Optional(Type.String({ maxLength: 12 })),
    });
    const model = local("openai-completions", server, { reasoning: false });
    for (let seed = 0; seed < 8; seed++) {
      const { mode, message, object } = await completeObject(model, "Where?", {
        schema,
        ...seeded(model.api, seed),
        maxTokens: 400,
      });
      expect([mode, typeof object.city]).toEqual(["native", "string"]);
      expect(message.content.filter(({ type }) => type === "toolCall")).toEqual([]);
    }
  });

  it.each(LOCAL_APIS)("tells a prompt that is too long, on %s", async (api) => {
    const server = await start({ args: ["-c", "512", "-np", "1"] });
    const message = await streamSimple(local(api, server), "many words ".repeat(2000), { maxRetries: 0 }).result();
    expect(message).toMatchObject({ stopReason: "error", error: { kind: "context_overflow" } });
  });

  it.each(LOCAL_APIS)("has a free slot after an abort, and after a loop that was left, on %s", async (api) => {
    const server = await start({ args: ["-np", "1", "-s", "5", "--ignore-eos"] });
    const model = local(api, server);
    const controller = new AbortController();
    const stream = streamSimple(model, "Hi", { ...LONG, signal: controller.signal });
    for await (const event of stream) if (event.type.endsWith("_delta")) controller.abort();
    expect((await stream.result()).stopReason).toBe("aborted");
    await allSlotsAreFree(server);
    for await (const event of streamSimple(model, "Hi", LONG)) if (event.type.endsWith("_delta")) break;
    await allSlotsAreFree(server);
    await ask(model, { messages: [user("Hi")] });
  });

  it.each(LOCAL_APIS)("ends the answer with an error when it is killed, on %s", async (api) => {
    // The server's own arguments: Messages passes neither the seed nor `ignore_eos` on, and the answer must not end by itself.
    const server = await start({ args: ["-np", "1", "-s", "5", "--ignore-eos", "--temp", "0.7"] });
    const stream = streamSimple(local(api, server), "Hi", { ...LONG, maxTokens: 30_000, maxRetries: 0 });
    let isKilled = false;
    for await (const event of stream) {
      if (isKilled || !event.type.endsWith("_delta")) continue;
      isKilled = true;
      process.kill(server.pid, "SIGKILL");
    }
    const message = await stream.result();
    expect(message.stopReason).toBe("error");
    expect(["network", "protocol"]).toContain(message.error?.kind);
  });

  it("is asked again while it loads", async () => {
    const server = await start({ wait: false });
    const models = LOCAL_APIS.map((api) => local(api, server));
    const outcomes = await Promise.all(
      models.map((model) => streamSimple(model, "Hi", { maxTokens: 8, maxRetries: 20 }).result()),
    );
    // A loaded server has answered, even if it could not read what its model wrote.
    for (const { stopReason, errorMessage } of outcomes)
      if (stopReason === "error") expect(errorMessage).toMatch(MISFORMED);
  });

  it("serves 64 requests on four slots", async () => {
    const server = await start({ args: ["-s", "3"] });
    const running = Array.from({ length: 64 }, (_, number) => {
      const api = LOCAL_APIS[number % LOCAL_APIS.length] ?? "openai-completions";
      const [context, options] = question(number);
      return ask(local(api, server), context, { ...seeded(api, number), ...options, maxTokens: 24 });
    });
    expect(await Promise.all(running)).toHaveLength(64);
    await allSlotsAreFree(server);
  });
});
