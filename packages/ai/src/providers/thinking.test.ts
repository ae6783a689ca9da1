import { afterEach, beforeEach, describe, expect, it, test, vi } from "vitest";
import { captureRequest } from "../../test/support/capture-request.js";
import { type Script, scriptFetch } from "../../test/support/scripted-fetch.js";
import { BoundThinkingVendor } from "../../test/validators/bound-thinking.js";
import { bindsThinking } from "../catalogue/compat/families.js";
import { ProviderError } from "../errors.js";
import { getModel, stream, streamSimple } from "../index.js";
import type { Context } from "../types/context.js";
import type { AssistantMessage, Message } from "../types/message.js";
import type { Model } from "../types/model.js";
import type { SimpleStreamOptions } from "../types/options.js";
import { repairThinking } from "./repair-thinking.js";

const OPUS: Model = getModel("anthropic", "claude-opus-5-5");
/** A host that is not known to take the field. */
const ELSEWHERE: Model = { ...OPUS, provider: "opencode", baseUrl: "https://opencode.ai/zen" };
const BETA = "thinking-binding-controls-2026-08-01";
const DROPS = { prefix_mismatch_behavior: "drop_block" };
const PROMPT = "Base.";
const TOOL = { name: "read", description: "Reads", parameters: { type: "object", properties: {} } as never };

const user = (content: string): Message => ({ role: "user", content, timestamp: 0 });

/** Sends the context, and expects a response. */
async function send(vendor: BoundThinkingVendor, model: Model, context: Context): Promise<AssistantMessage> {
  const options = { apiKey: "k", fetch: vendor.fetch, maxRetries: 0, reasoning: "medium" } as const;
  const message = await streamSimple(model, context, options).result();
  expect(message.errorMessage).toBeUndefined();
  return message;
}

/** Three prompts with their responses. */
async function converse(vendor: BoundThinkingVendor, model: Model): Promise<Message[]> {
  const messages: Message[] = [];
  for (const prompt of ["One", "Two", "Three"]) {
    messages.push(user(prompt));
    messages.push(await send(vendor, model, { systemPrompt: PROMPT, messages }));
  }
  expect(vendor.refused).toBe(0);
  return messages;
}

const CHANGES: [string, (messages: Message[]) => Context][] = [
  ["the system prompt changes", (messages) => ({ systemPrompt: "Base.\n\nBe brief.", messages })],
  ["a tool is added", (messages) => ({ systemPrompt: PROMPT, tools: [TOOL], messages })],
  ["the history is cut", (messages) => ({ systemPrompt: PROMPT, messages: messages.slice(2) })],
  [
    "an earlier message changes",
    (messages) => ({ systemPrompt: PROMPT, messages: [user("Eins"), ...messages.slice(1)] }),
  ],
  ["a system message is put before it", (messages) => ({ systemPrompt: PROMPT, messages: [BRIEF, ...messages] })],
];
const BRIEF: Message = { role: "system", content: "Be brief.", timestamp: 1 };

describe("thinking that is bound to what came before it", () => {
  it("stays while the conversation only grows", async () => {
    const vendor = new BoundThinkingVendor();
    const messages = await converse(vendor, OPUS);
    const { diagnostics } = await send(vendor, OPUS, { systemPrompt: PROMPT, messages: [...messages, user("Four")] });
    expect(diagnostics).toBeUndefined();
    expect(JSON.stringify(vendor.requests.at(-1)?.body).match(/"type":"thinking"/g)).toHaveLength(3);
  });

  it("stays when a system message changes the prompt, and not at a host that takes none", async () => {
    for (const [model, takesField] of [[OPUS, true] as const, [ELSEWHERE, false] as const]) {
      const vendor = new BoundThinkingVendor({ takesField });
      const messages = await converse(vendor, model);
      const context = { systemPrompt: PROMPT, messages: [...messages, user("Four"), BRIEF] };
      const types = (await send(vendor, model, context)).diagnostics?.map(({ type }) => type);
      expect(types).toEqual(takesField ? undefined : ["prompt_rewritten", "thinking_removed"]);
    }
  });

  it.each(CHANGES)("is dropped by the server, which says so, if %s", async (_name, change) => {
    const vendor = new BoundThinkingVendor();
    const messages = await converse(vendor, OPUS);
    const message = await send(vendor, OPUS, change([...messages, user("Go on")]));
    expect(vendor.refused).toBe(0);
    expect(message.diagnostics?.map(({ type }) => type)).toEqual(["input_transformations"]);
    expect(vendor.requests.at(-1)).toMatchObject({ betas: [BETA], body: { thinking: { block_binding: DROPS } } });
  });

  it.each(CHANGES)("is removed after a refusal by a host without the field if %s", async (_name, change) => {
    const vendor = new BoundThinkingVendor({ takesField: false });
    const messages = await converse(vendor, ELSEWHERE);
    const context = change([...messages, user("Go on")]);
    const message = await send(vendor, ELSEWHERE, context);
    const notes = message.diagnostics?.filter(({ type }) => type === "thinking_removed");
    expect(notes).toMatchObject([{ details: { reason: "prefix_changed", blocks: expect.any(Number) } }]);
    // Later prompts of the session are answered too.
    await send(vendor, ELSEWHERE, { ...context, messages: [...context.messages, message, user("And on")] });
    expect(vendor.requests.map(({ status }) => status)).toEqual([200, 200, 200, 400, 200, 400, 200]);
  });

  it("keeps the thinking before the first block that is not valid", async () => {
    const vendor = new BoundThinkingVendor({ takesField: false });
    const [one, first, , ...rest] = await converse(vendor, ELSEWHERE);
    const messages = [one, first, user("Zwei"), ...rest, user("Go on")] as Message[];
    const { diagnostics } = await send(vendor, ELSEWHERE, { systemPrompt: PROMPT, messages });
    expect(diagnostics).toMatchObject([{ type: "thinking_removed", details: { blocks: 2 } }]);
    expect(JSON.stringify(vendor.requests.at(-1)?.body).match(/"type":"thinking"/g)).toHaveLength(1);
  });
});

describe("the request for bound thinking", () => {
  const context: Context = { messages: [user("Hi")] };
  beforeEach(() => {
    vi.stubEnv("CLOUDFLARE_ACCOUNT_ID", "account");
    vi.stubEnv("CLOUDFLARE_GATEWAY_ID", "gateway");
  });
  afterEach(() => vi.unstubAllEnvs());
  const fieldsOf = async (model: Model, options: SimpleStreamOptions = {}) => {
    const { body, headers } = await captureRequest(model, context, { ...options }, streamSimple);
    const fields = body.additionalModelRequestFields ?? body;
    return { thinking: fields.thinking, betas: fields.anthropic_beta?.join(",") ?? headers["anthropic-beta"] };
  };

  it.each([
    ["anthropic", "claude-fable-5-1"],
    ["anthropic", "claude-haiku-5-5"],
    ["cloudflare-ai-gateway", "claude-sonnet-5-5"],
    ["amazon-bedrock", "global.anthropic.claude-opus-5-5"],
    ["amazon-bedrock", "us.anthropic.claude-fable-5-2"],
  ] as const)("asks to drop it: %s %s", async (provider, id) => {
    const fields = await fieldsOf(getModel(provider, id as never), { reasoning: "high" });
    expect(fields).toMatchObject({
      thinking: { type: "adaptive", display: "summarized", block_binding: DROPS },
      betas: BETA,
    });
  });

  it.each([
    ["anthropic", "claude-opus-5"],
    ["anthropic", "claude-opus-4-6"],
    ["opencode", "claude-opus-5-5"],
    ["github-copilot", "claude-opus-5.5"],
    ["amazon-bedrock", "global.anthropic.claude-opus-5"],
  ] as const)("has no such field: %s %s", async (provider, id) => {
    const { thinking, betas = "" } = await fieldsOf(getModel(provider, id as never), { reasoning: "high" });
    expect(thinking).not.toHaveProperty("block_binding");
    expect(betas).not.toContain(BETA);
  });

  it.each(["anthropic", "amazon-bedrock"] as const)(
    "asks without a level, too, if the model always thinks: %s",
    async (provider) => {
      const id = provider === "anthropic" ? "claude-opus-5-5" : "us.anthropic.claude-opus-5-5";
      const model: Model = getModel(provider, id as never);
      expect(await fieldsOf(model)).toEqual({ thinking: { type: "adaptive", block_binding: DROPS }, betas: BETA });
    },
  );

  it("has no such field where thinking is off, in GovCloud, and if the model's flag says so", async () => {
    const haiku: Model = getModel("anthropic", "claude-haiku-5-5");
    expect(await fieldsOf(haiku)).toEqual({ thinking: { type: "disabled" }, betas: undefined });
    const gov: Model = {
      ...getModel("amazon-bedrock", "us.anthropic.claude-opus-5-5"),
      id: "us-gov.anthropic.claude-opus-5-5",
    };
    expect((await fieldsOf(gov, { reasoning: "low" })).thinking).toEqual({ type: "adaptive" });
    const plain: Model = { ...OPUS, compat: { supportsBlockBinding: false } };
    expect((await fieldsOf(plain, { reasoning: "low" })).thinking).not.toHaveProperty("block_binding");
  });

  test("bindsThinking knows the models of all hosts", () => {
    expect(bindsThinking({ id: "anthropic/claude-fable-5.1", name: "" })).toBe(true);
    expect(
      bindsThinking({ id: "arn:aws:bedrock:us-east-1:1:application-inference-profile/x", name: "Claude Haiku 5.5" }),
    ).toBe(true);
    expect(bindsThinking({ id: "claude-opus-5", name: "Claude Opus 5" })).toBe(false);
    expect(bindsThinking({ id: "claude-mythos-5-1", name: "" })).toBe(false);
  });
});

describe("beta features of the caller", () => {
  const headers = { "Anthropic-Beta": "caller-1, shared-1" };
  const own = { headers: { "anthropic-beta": "shared-1,model-1" } };
  const model: Model = { ...OPUS, ...own };

  it("join those of the library, of the model, and of options that add some", async () => {
    const { headers: sent } = await captureRequest(model, { messages: [user("Hi")] }, { headers });
    expect(sent["anthropic-beta"]).toBe(`${BETA},shared-1,model-1,caller-1`);
    const managed = await captureRequest(
      model,
      { messages: [user("Hi")] },
      { headers, contextManagement: { compact: true } },
    );
    expect(managed.headers["anthropic-beta"]).toBe(`${BETA},shared-1,model-1,caller-1,compact-2026-01-12`);
  });

  it("are none if the caller sets null", async () => {
    const { headers: sent } = await captureRequest(
      model,
      { messages: [user("Hi")] },
      { headers: { "anthropic-beta": null as never } },
    );
    expect(sent).not.toHaveProperty("anthropic-beta");
  });

  it("go into the body at Bedrock, where Claude's are read from", async () => {
    const bedrock: Model = {
      ...getModel("amazon-bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
      ...own,
    };
    const options = { headers, reasoning: "low" } as const;
    const { headers: sent, body } = await captureRequest(bedrock, { messages: [user("Hi")] }, options);
    expect(sent).not.toHaveProperty("anthropic-beta");
    const betas = ["interleaved-thinking-2025-05-14", "shared-1", "model-1", "caller-1"];
    expect(body.additionalModelRequestFields.anthropic_beta).toEqual(betas);
    const plain = await captureRequest(bedrock, { messages: [user("Hi")] }, { headers });
    expect(plain.body.additionalModelRequestFields).toEqual({ anthropic_beta: ["shared-1", "model-1", "caller-1"] });
    const nova: Model = getModel("amazon-bedrock", "amazon.nova-lite-v1:0");
    const other = await captureRequest(nova, { messages: [user("Hi")] }, { headers });
    expect(other.body).not.toHaveProperty("additionalModelRequestFields");
  });
});

describe("the repetition after a refusal", () => {
  const refusal = (text: string): Script => ({
    status: 400,
    pieces: [JSON.stringify({ type: "error", error: { type: "invalid_request_error", message: text } })],
  });
  const bound = refusal(
    "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.",
  );
  const thought: AssistantMessage["content"] = [
    { type: "thinking", thinking: "Hm.", thinkingSignature: "c2ln" },
    { type: "text", text: "Hello" },
  ];
  const usage = {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
  const { api, provider } = OPUS;
  const answer: AssistantMessage = {
    role: "assistant",
    content: thought,
    api,
    provider,
    model: OPUS.id,
    usage,
    stopReason: "stop",
    timestamp: 0,
  };
  const messages = [user("Hi"), answer, user("Go on")];
  const ask = (fetch: typeof globalThis.fetch, context: Context = { messages }) =>
    stream(OPUS, context, { apiKey: "k", fetch, maxRetries: 0 }).result();

  it("happens once", async () => {
    const { fetch, requests } = scriptFetch(bound, bound);
    const message = await ask(fetch);
    expect(requests).toHaveLength(2);
    expect(message).toMatchObject({
      stopReason: "error",
      error: { kind: "invalid_request", status: 400, attempts: 2 },
    });
    expect(requests[1]?.body).not.toContain('"signature"');
  });

  it.each([
    ["of another kind", refusal("messages.1: unexpected tool_use_id"), messages],
    ["although there is no thinking", bound, [user("Hi")]],
  ])("does not happen after an error %s", async (_name, script, history) => {
    const { fetch, requests } = scriptFetch(script);
    const message = await ask(fetch, { messages: history });
    expect(requests).toHaveLength(1);
    expect(message.error).toEqual({ kind: "invalid_request", status: 400 });
  });

  const fault = (message: string) => new ProviderError({ kind: "invalid_request", message, status: 400 });
  const wire = (body: object) => ({ baseUrl: "", path: "", headers: {}, body });
  const invalid = fault("400 messages.1.content.0: Invalid `signature` in `thinking` block");

  it("turns a budget off in the middle of a tool loop, which must begin with thinking", async () => {
    const loop = [
      { role: "user", content: "Hi" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm.", signature: "x" },
          { type: "tool_use", id: "1" },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "1" }] },
    ];
    const thinking = { type: "enabled", budget_tokens: 1024 };
    const repaired = await repairThinking(invalid, wire({ thinking, messages: loop }));
    expect(repaired?.body).toEqual({
      thinking: { type: "disabled" },
      messages: [loop[0], { role: "assistant", content: [{ type: "tool_use", id: "1" }] }, loop[2]],
    });
    expect(repaired?.notes).toEqual([
      { type: "thinking_removed", details: { reason: "invalid_signature", blocks: 1 } },
    ]);
    const ended = await repairThinking(
      invalid,
      wire({ thinking, messages: [...loop, { role: "user", content: "So?" }] }),
    );
    expect(ended?.body).toMatchObject({ thinking });
  });

  it("knows the format of Converse", async () => {
    const loop = [
      { role: "user", content: [{ text: "Hi" }] },
      {
        role: "assistant",
        content: [{ reasoningContent: { reasoningText: { text: "Hm.", signature: "x" } } }, { toolUse: {} }],
      },
      { role: "user", content: [{ toolResult: {} }] },
    ];
    const additionalModelRequestFields = { thinking: { type: "enabled", budget_tokens: 1024 }, anthropic_beta: ["a"] };
    const repaired = await repairThinking(invalid, wire({ messages: loop, additionalModelRequestFields }));
    expect(repaired?.body).toEqual({
      messages: [loop[0], { role: "assistant", content: [{ toolUse: {} }] }, loop[2]],
      additionalModelRequestFields: { anthropic_beta: ["a"] },
    });
  });

  it("leaves a body alone that a hook has made something else", async () => {
    expect(await repairThinking(invalid, wire([]))).toBeUndefined();
    expect(await repairThinking(invalid, wire({ messages: "x" }))).toBeUndefined();
    expect(
      await repairThinking(invalid, wire({ messages: [null, { content: null }, { content: [null] }] })),
    ).toBeUndefined();
  });
});
