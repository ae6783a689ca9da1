import { createHttpError, createStreamError } from "pi-ai/adapter";
import { describe, expect, it } from "vitest";
import { processorTime } from "../../../../test/support/patience.js";

function failed(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return createHttpError({ status, body: text, headers: new Headers(headers), provider: "test" });
}

const ADVICE =
  " (the credit or quota at test is used up: add credit or raise the limit there, or use another key or provider)";

describe("createHttpError: text", () => {
  it.each([
    [{ type: "error", error: { type: "invalid_request_error", message: "bad" } }, "400 invalid_request_error: bad"],
    [{ error: { message: "bad", type: "x", code: 400 } }, "400 bad"],
    [{ error: { message: "bad", metadata: { raw: "upstream said no" } } }, "400 bad\nupstream said no"],
    [{ error: { message: "bad", failed_generation: "<function=x>" } }, "400 bad\n<function=x>"],
    [{ error: "bad" }, "400 bad"],
    [{ message: "bad" }, "400 bad"],
    [{ detail: "bad" }, "400 bad"],
    [{ detail: [{ msg: "field required" }] }, "400 field required"],
    [[{ error: { message: "bad", status: "INVALID_ARGUMENT" } }], "400 bad"],
    [{ errors: [{ message: "bad" }] }, "400 bad"],
    ["plain text", "400 plain text"],
    ["", "400 status code (no body)"],
    ["  \n", "400 status code (no body)"],
    [{ error: { message: { deep: true } } }, '400 {"error":{"message":{"deep":true}}}'],
    ["null", "400 null"],
    ["[]", "400 []"],
  ])("quotes %j", (body, expected) => {
    expect(failed(400, body).message).toBe(expected);
  });

  it("keeps a bounded part of a large body", () => {
    const error = failed(500, `<html>${"x".repeat(5_000_000)}</html>`);
    expect(error.message.length).toBeLessThan(5000);
    expect(error.body?.length).toBeLessThan(5000);
    expect(error.message).toContain("more characters");
  });

  it("takes linear time for bodies that make careless patterns backtrack", async () => {
    for (const bait of ["a".repeat(200_000), " ".repeat(200_000), "exceeds the ".repeat(20_000)]) {
      expect(await processorTime(() => failed(400, bait))).toBeLessThan(3000);
    }
  });
});

describe("createHttpError: facts", () => {
  it.each([
    [400, {}, "invalid_request", false],
    [401, {}, "auth", false],
    [402, {}, "quota", false],
    [403, {}, "permission", false],
    [404, {}, "not_found", false],
    [408, {}, "server", true],
    [409, {}, "server", true],
    [413, {}, "context_overflow", false],
    [422, {}, "invalid_request", false],
    [429, {}, "rate_limit", true],
    [500, {}, "server", true],
    [502, "<html>bad gateway</html>", "server", true],
    [503, {}, "overloaded", true],
    [504, {}, "server", true],
    [529, {}, "overloaded", true],
    [302, {}, "invalid_request", false],
    [429, { error: { code: "insufficient_quota", message: "quota" } }, "quota", false],
    [500, { error: { type: "invalid_request_error", message: "x" } }, "server", true],
    [401, { error: { type: "invalid_request_error", message: "x" } }, "auth", false],
    [401, { error: { type: "api_error", message: "x" } }, "auth", false],
    [400, { error: { type: "api_error", message: "x" } }, "invalid_request", false],
    [400, { error: { code: "context_length_exceeded", message: "x" } }, "context_overflow", false],
    [400, { error: { type: "rate_limit_error", message: "x" } }, "rate_limit", true],
    [400, { error: { message: "prompt is too long: 9 tokens" } }, "context_overflow", false],
    [413, { type: "error", error: { type: "request_too_large", message: "x" } }, "context_overflow", false],
    [429, { error: { message: "rate limit: too many tokens per minute" } }, "rate_limit", true],
    [400, { error: { code: "constructor", type: "__proto__", message: "x" } }, "invalid_request", false],
  ] as const)("status %d with %j is %s, retryable: %s", (status, body, kind, retryable) => {
    expect(failed(status, body)).toMatchObject({ kind, retryable, status, provider: "test" });
  });

  it("applies the retry header of the server", () => {
    expect(failed(400, {}, { "x-should-retry": "true" }).retryable).toBe(true);
    expect(failed(500, {}, { "x-should-retry": "false" }).retryable).toBe(false);
    expect(failed(429, { error: { code: "insufficient_quota" } }, { "x-should-retry": "true" }).retryable).toBe(false);
    expect(failed(500, {}, { "x-should-retry": "perhaps" }).retryable).toBe(true);
  });

  it("keeps the request id and the requested wait as plain data", () => {
    const error = failed(429, {}, { "x-request-id": "req_1", "retry-after": "7" });
    expect(error.info).toEqual({ kind: "rate_limit", status: 429, requestId: "req_1", retryAfterMs: 7000 });
    expect(failed(500, {}).info).toEqual({ kind: "server", status: 500 });
  });

  it("recognizes the overflow response of a vendor that sends no body", () => {
    const facts = { status: 400, body: "", headers: new Headers() };
    expect(createHttpError({ ...facts, provider: "cerebras" }).kind).toBe("context_overflow");
    expect(createHttpError({ ...facts, provider: "other" }).kind).toBe("invalid_request");
  });
});

describe("createStreamError", () => {
  it.each([
    [
      { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
      "overloaded_error: Overloaded",
      "overloaded",
      true,
    ],
    [{ error: { message: "no", code: 429 } }, "no", "rate_limit", true],
    [{ error: { message: "no", code: "400" } }, "no", "invalid_request", false],
    [
      { type: "error", error: { type: "invalid_request_error", message: "x" } },
      "invalid_request_error: x",
      "invalid_request",
      false,
    ],
    [{ error: { code: "insufficient_quota", message: "quota" } }, `quota${ADVICE}`, "quota", false],
    [{ error: "plain" }, "plain", "server", true],
    [{ error: { odd: 1 } }, '{"error":{"odd":1}}', "server", true],
    [{ response: { error: { code: "server_error", message: "x" } } }, "x", "server", true],
    ["text", "text", "server", true],
    [null, "null", "server", true],
  ])("reads %j as: %s", (event, message, kind, retryable) => {
    expect(createStreamError(event, "test")).toMatchObject({ message, kind, retryable });
  });

  it("survives an error that is nested too deeply to be shown", () => {
    const deep: unknown = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
    expect(createStreamError({ error: { deep } }, "test")).toMatchObject({ kind: "server" });
  });
});

describe("createHttpError: kinds by codes and texts of vendors", () => {
  const openai = (code: string, message: string) => ({ error: { message, type: "invalid_request_error", code } });

  it.each([
    ["OpenAI", 400, openai("model_not_found", "The requested model 'm-1' does not exist."), "not_found"],
    [
      "xAI",
      400,
      { code: "Client specified an invalid argument", error: "Incorrect API key provided: ab***yz." },
      "auth",
    ],
    ["xAI", 400, { code: "invalid-argument", error: "Model not found: grok-0" }, "not_found"],
    ["OpenRouter", 400, { error: { message: "x/none is not a valid model ID", code: 400 } }, "not_found"],
    ["Mistral", 400, { message: "Invalid model: none", type: "invalid_model", code: "1500" }, "not_found"],
    ["Mistral, by text", 400, { message: "Invalid model: none", code: "1500" }, "not_found"],
    ["DeepSeek", 400, openai("invalid_request_error", "Model Not Exist"), "not_found"],
    ["vLLM", 400, { message: "The model `none` does not exist.", code: 400 }, "not_found"],
    ["Amazon Bedrock", 400, { message: "The provided model identifier is invalid." }, "not_found"],
    ["Cloudflare", 400, { errors: [{ code: 5007, message: "AiError: No such model @cf/none" }] }, "not_found"],
    ["GitHub Copilot", 400, openai("model_not_supported", "The requested model is not supported."), "not_found"],
    ["Amazon Bedrock", 400, { message: "Input Tokens Exceeded: 300000 of 200000" }, "context_overflow"],
    [
      "llama.cpp",
      400,
      { error: { code: 400, type: "exceed_context_size_error", message: "too big" } },
      "context_overflow",
    ],
    ["GitHub Models", 413, { error: { code: "tokens_limit_reached", message: "big" } }, "context_overflow"],
    ["Moonshot", 429, { error: { type: "engine_overloaded_error", message: "busy" } }, "overloaded"],
    ["DashScope", 400, { code: "DataInspectionFailed", message: "unsafe" }, "content_filter"],
    ["Amazon Bedrock", 429, { message: "Too many tokens, please wait before trying again." }, "rate_limit"],
    [
      "a server with an invalid request",
      400,
      openai("invalid_request_error", "Tool read: the model parameter must not be empty"),
      "invalid_request",
    ],
    ["a server that failed", 500, { error: { message: "The model x was not found on this worker" } }, "server"],
  ])("%s, %d: %j", (_, status, body, kind) => {
    expect(failed(status, body)).toMatchObject({ kind, status });
  });

  it("applies the numeric codes of Z.ai to Z.ai only", () => {
    const body = JSON.stringify({ error: { code: "1211", message: "Unknown Model" } });
    expect(createHttpError({ status: 400, body, provider: "zai" }).kind).toBe("not_found");
    expect(createHttpError({ status: 400, body, provider: "test" }).kind).toBe("invalid_request");
  });

  it("also reads the text of an error event", () => {
    expect(createStreamError({ error: { message: "Incorrect API key provided" } }, "xai").kind).toBe("auth");
    expect(
      createStreamError({ error: { message: "no", code: "tool_use_failed", failed_generation: '{"a":1}' } }, "groq"),
    ).toMatchObject({ message: 'no\n{"a":1}' });
  });
});

describe("the kind of a failure that one vendor words in its own way", () => {
  it.each([
    [
      "perplexity",
      400,
      { error: { code: 400, type: "too_many_prompt_tokens", message: "Shorten it" } },
      "context_overflow",
    ],
    ["deepseek", 400, { error: { message: "Model Not Exist", type: "invalid_request_error" } }, "not_found"],
    [
      "deepseek",
      400,
      {
        error: {
          message: "The supported API model names are deepseek-chat, but you passed x.",
          type: "invalid_request_error",
        },
      },
      "not_found",
    ],
    [
      "ollama",
      400,
      { error: { message: "the prompt is longer than the context length currently available" } },
      "context_overflow",
    ],
  ])("%s", (provider, status, body, kind) => {
    expect(createHttpError({ status, body: JSON.stringify(body), provider })).toMatchObject({ kind });
  });

  it.each([
    ["LM Studio", { type: "error", error: { message: "Input does not fit in context length" } }],
    ["llama.cpp", { error: { code: 500, message: "Context size has been exceeded.", type: "server_error" } }],
  ])("%s, in an event", (_, event) => {
    expect(createStreamError(event, "local")).toMatchObject({ kind: "context_overflow" });
  });
});

describe("used-up credit and other limits", () => {
  const said = (message: string, rest: object = {}) => ({ error: { message, ...rest } });

  it.each([
    ["any", 402, {}],
    ["any", 402, said("x", { type: "rate_limit_error" })],
    [
      "OpenRouter",
      402,
      said("This request requires more credits, or fewer max_tokens. You can only afford 12", { code: 402 }),
    ],
    [
      "OpenRouter",
      402,
      said("Prompt tokens limit exceeded: 230799 > 91442. To increase, create a key with a higher limit"),
    ],
    ["OpenRouter", 403, said("API key budget limit exceeded (daily limit)")],
    ["OpenRouter", 429, said("Insufficient credits. Add more using https://openrouter.ai/settings/credits")],
    ["DeepSeek", 402, said("Insufficient Balance", { type: "unknown_error", code: "invalid_request_error" })],
    ["DeepSeek, behind a proxy", 400, said("Insufficient Balance", { code: "invalid_request_error" })],
    [
      "OpenAI",
      429,
      said("You exceeded your current quota", { type: "insufficient_quota", code: "insufficient_quota" }),
    ],
    [
      "OpenAI",
      429,
      said("You have no credits remaining", { type: "insufficient_quota", code: "credit_balance_exhausted" }),
    ],
    ["OpenAI", 429, said("x", { code: "organization_spend_limit_exceeded" })],
    ["OpenAI", 400, said("Billing hard limit has been reached", { code: "billing_hard_limit_reached" })],
    ["OpenAI, without a code", 400, said("Billing hard limit has been reached")],
    [
      "OpenAI, without a code",
      429,
      said("You exceeded your current quota, please check your plan and billing details."),
    ],
    [
      "Anthropic",
      400,
      said("Your credit balance is too low to access the Anthropic API.", { type: "invalid_request_error" }),
    ],
    ["Anthropic", 400, said("You have reached your specified API usage limits. You will regain access on 2026-12-01")],
    ["xAI", 429, "Your team 1 has either used all available credits or reached its monthly spending limit."],
    ["Moonshot", 429, said("Your account is suspended, please recharge", { type: "exceeded_current_quota_error" })],
    ["DashScope", 400, { code: "Arrearage", message: "Access denied" }],
    ["SiliconFlow", 403, { code: 30001, message: "Sorry, your account balance is insufficient" }],
    ["SiliconFlow", 403, { code: 30011, message: "Your paid balance is insufficient. Please top up and try again." }],
    ["Hugging Face", 402, { error: "You have exceeded your monthly included credits for Inference Providers." }],
    ["Fireworks", 412, { error: "Account a is suspended, possibly due to reaching the monthly spending limit" }],
    ["a gateway", 429, said("Your quota has been exhausted")],
    ["OpenCode", 401, { type: "error", error: { type: "CreditsError", message: "No payment method" } }],
    ["New API", 403, said("User's credit limit is insufficient", { code: "insufficient_user_quota" })],
    ["New API", 403, said("用户额度不足")],
    ["LiteLLM", 400, said("Budget has been exceeded! Current cost: 2, Max budget: 1", { code: "400" })],
    ["Google Code Assist", 429, said("x", { details: [{ reason: "QUOTA_EXHAUSTED" }], status: "RESOURCE_EXHAUSTED" })],
    ["Google", 429, said("Your prepayment credits are depleted.", { status: "RESOURCE_EXHAUSTED" })],
    ["GitHub Copilot", 429, said("Monthly AI credits exhausted")],
    ["GitHub Copilot", 429, said("You have exceeded your monthly quota")],
    ["OpenRouter", 403, said("Key limit exceeded (total limit). Manage it using https://openrouter.ai/settings/keys")],
    ["Anthropic", 400, said("You're out of extra usage. Add more at claude.ai/settings/usage and keep going.")],
    ["Anthropic", 400, said("Third-party apps now draw from your extra usage, not your plan limits.")],
    ["Anthropic", 400, said("You have reached your specified API usage limits. You will regain access on 2026-12-01.")],
    ["xAI", 403, { code: "denied", error: "Your newly created team doesn't have any credits or licenses yet." }],
    ["Cloudflare", 429, { errors: [{ code: 4006, message: "you have used up your daily free allocation of 10,000" }] }],
    ["DashScope", 429, said("Free allocated quota exceeded.")],
    ["DashScope", 429, said("month allocated quota exceeded.", { type: "invalid_request_error" })],
    ["Qianfan", 429, said("month quota exceeded", { code: "coding_plan_month_quota_exceeded" })],
    ["Hunyuan", 400, said("资源包余量已用尽,请购买资源包或开启后付费", { code: "2006" })],
    ["Volcengine", 429, said("your free trial quota for the model has been consumed", { code: "QuotaExceeded" })],
    ["Cohere", 429, { message: "You are using a Trial key, which is limited to 1000 API calls / month." }],
    ["MiniMax", 500, { type: "error", error: { type: "api_error", message: "insufficient balance (1008)" } }],
  ])("%s: %d %j is a used-up quota", (_vendor, status, body) => {
    const error = failed(status, body, { "x-should-retry": "true" });
    expect(error).toMatchObject({ kind: "quota", retryable: false });
    expect(error.message).toMatch(/add credit or raise the limit there/);
  });

  it.each([
    [
      "OpenAI",
      429,
      said("Rate limit reached for gpt-5 on tokens per min (TPM): Limit 30000", { code: "rate_limit_exceeded" }),
    ],
    ["Google", 429, said("Resource has been exhausted (e.g. check quota).", { status: "RESOURCE_EXHAUSTED" })],
    ["Google", 429, said("You exceeded your current quota, please check your plan", { status: "RESOURCE_EXHAUSTED" })],
    ["Google, by a gateway", 429, said("You exceeded your current quota. Please retry in 34s.")],
    ["DashScope", 429, { code: "Throttling.AllocationQuota", message: "Allocated quota exceeded" }],
    ["a gateway", 429, said("Usage limit of 60 requests per minute reached")],
    ["a gateway", 429, said("quota used up", { type: "rate_limit_error" })],
    ["Cerebras", 429, { message: "Tokens per minute limit exceeded - too many tokens processed." }],
    ["Cerebras", 429, { message: "Tokens per day limit exceeded - too many tokens processed." }],
    ["any", 429, {}],
  ])("%s: %d %j is a rate limit", (_vendor, status, body) => {
    expect(failed(status, body)).toMatchObject({ kind: "rate_limit", retryable: true });
  });

  it.each([
    ["a context", 400, said("prompt is too long: 9 tokens"), "context_overflow"],
    ["a budget of thinking", 400, said("thinking.budget_tokens exceeds the maximum budget"), "invalid_request"],
    ["a broken server", 500, said("insufficient credits in the cache"), "server"],
    ["a key", 403, said("You may not use this model"), "permission"],
  ])("%s is none: %d %j", (_what, status, body, kind) => {
    expect(failed(status, body).kind).toBe(kind);
  });

  it("keeps what to do when an api gives the error another text", () => {
    const error = failed(402, {}).withMessage("Mistral API error (402): {}");
    expect(error.message).toBe(`Mistral API error (402): {}${ADVICE}`);
    expect(error.withMessage(error.message).message).toBe(error.message);
  });

  it.each([["Insufficient credits"], ["Billing hard limit has been reached"], [{ message: "x", code: 402 }]])(
    "an error event %j in a stream is one",
    (error) => expect(createStreamError({ error }, "test")).toMatchObject({ kind: "quota", retryable: false }),
  );
});
