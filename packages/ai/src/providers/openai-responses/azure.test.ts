import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type LocalServer, serveResponse } from "../../../test/support/local-response.js";
import { createEnvironment } from "../../catalogue/env/environment.js";
import { createApiProvider } from "../../driver/create-api-provider.js";
import type { Context } from "../../types/context.js";
import type { AssistantMessage } from "../../types/message.js";
import type { Model } from "../../types/model.js";
import { type AzureOpenAIResponsesOptions, azureOpenAIResponsesAdapter, buildAzureRequest } from "./azure.js";

const { stream, streamSimple } = createApiProvider(azureOpenAIResponsesAdapter);

const MODEL: Model<"azure-openai-responses"> = {
  id: "gpt-x",
  name: "X",
  api: "azure-openai-responses",
  provider: "azure",
  baseUrl: "",
  reasoning: false,
  input: ["text"],
  cost: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
  contextWindow: 1000,
  maxTokens: 100,
};
const HELLO: Context = { messages: [{ role: "user", content: "Hello", timestamp: 1 }] };
const GOOD = 'data: {"type":"response.completed","response":{"status":"completed","model":"deployed"}}\n\n';

let server: LocalServer;
beforeEach(async () => {
  server = await serveResponse({ headers: { "content-type": "text/event-stream" }, body: GOOD });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server[Symbol.asyncDispose]();
});

function ask(options: AzureOpenAIResponsesOptions = {}, model: Partial<Model> = {}): Promise<AssistantMessage> {
  return stream({ ...MODEL, baseUrl: `${server.url}/openai/v1`, ...model }, HELLO, {
    apiKey: "key-1",
    ...options,
  }).result();
}

/** The URL and the deployment of a request in an environment. */
function target(
  variables: Record<string, string>,
  options: AzureOpenAIResponsesOptions = {},
  model: Partial<Model> = {},
): [baseUrl: string, deployment: string] {
  const call = { model: { ...MODEL, ...model }, context: HELLO, options, apiKey: "k", keyIsBearer: false };
  const { baseUrl, body } = buildAzureRequest(call, createEnvironment(variables));
  return [baseUrl, (body as { model: string }).model]; // the body of this api names its model
}

test("a minimal request", async () => {
  const message = await ask();
  expect(message).toMatchObject({ stopReason: "stop", responseModel: "deployed" });
  const [request] = server.requests;
  expect(request).toMatchObject({ method: "POST", path: "/openai/v1/responses?api-version=v1" });
  expect(request?.headers).toMatchObject({ "api-key": "key-1", "user-agent": expect.stringMatching(/^pi-ai\//) });
  expect(request?.headers.authorization).toBeUndefined();
  expect(request?.body).toEqual({
    model: "gpt-x",
    input: [{ role: "user", content: [{ type: "input_text", text: "Hello" }] }],
    stream: true,
    store: false,
  });
});

test("the session id is the cache key for every retention, and is not in a header", async () => {
  await ask({ sessionId: "s-1", cacheRetention: "none" });
  await ask({ sessionId: "s-1", cacheRetention: "long" });
  for (const request of server.requests) {
    expect(request.body.prompt_cache_key).toBe("s-1");
    expect(request.body).not.toHaveProperty("prompt_cache_retention");
    expect(request.headers["x-client-request-id"]).toBeUndefined();
  }
});

test("thinking, tools and limits as in the Responses API", async () => {
  const reasoning = { ...MODEL, baseUrl: server.url, reasoning: true };
  await streamSimple(reasoning, HELLO, { apiKey: "k", reasoning: "low" }).result();
  expect(server.requests[0]?.body).toMatchObject({
    reasoning: { effort: "low", summary: "auto" },
    include: ["reasoning.encrypted_content"],
  });
});

test("the caller's headers override the model's", async () => {
  await ask({ headers: { "x-one": "call" } }, { headers: { "x-one": "model", "x-two": "model" } });
  expect(server.requests[0]?.headers).toMatchObject({ "x-one": "call", "x-two": "model" });
});

test("the API version: option, else environment", async () => {
  vi.stubEnv("AZURE_OPENAI_API_VERSION", "2026-01-01");
  vi.stubEnv("OPENAI_API_VERSION", "not read");
  await ask();
  await ask({ azureApiVersion: "preview" });
  expect(server.requests.map((request) => request.path.split("?")[1])).toEqual([
    "api-version=2026-01-01",
    "api-version=preview",
  ]);
});

test("the base URL: option, else environment, else resource name, else the model's", () => {
  const BASE = { AZURE_OPENAI_BASE_URL: "https://base.example.com/v1" };
  const RESOURCE = { AZURE_OPENAI_RESOURCE_NAME: "mine" };
  const own = { baseUrl: "https://own.openai.azure.com" };
  const given = { azureBaseUrl: " https://given.openai.azure.com/ ", azureResourceName: "unread" };
  expect(target({ ...BASE, ...RESOURCE }, given, own)[0]).toBe("https://given.openai.azure.com/openai/v1");
  expect(target({ ...BASE, ...RESOURCE }, {}, own)[0]).toBe("https://base.example.com/v1");
  expect(target(RESOURCE, { azureResourceName: "other" }, own)[0]).toBe("https://other.openai.azure.com/openai/v1");
  expect(target(RESOURCE, {}, own)[0]).toBe("https://mine.openai.azure.com/openai/v1");
  expect(target({}, {}, own)[0]).toBe("https://own.openai.azure.com/openai/v1");
});

test("the deployment: option, else the map, else the model's id", () => {
  const variables = { AZURE_OPENAI_DEPLOYMENT_NAME_MAP: "a=b, gpt-x = mine ,broken,gpt-x=later,gpt-y=" };
  const model = { baseUrl: "https://own.example.com" };
  expect(target(variables, { azureDeploymentName: "given" }, model)[1]).toBe("given");
  expect(target(variables, {}, model)[1]).toBe("mine");
  expect(target(variables, {}, { ...model, id: "gpt-y" })[1]).toBe("gpt-y");
  expect(target({}, {}, model)[1]).toBe("gpt-x");
});

test("a missing setting is named in the stream's one error", async () => {
  vi.stubEnv("AZURE_OPENAI_BASE_URL", "");
  vi.stubEnv("AZURE_OPENAI_RESOURCE_NAME", "");
  vi.stubEnv("AZURE_OPENAI_API_KEY", "");
  const noAddress = await ask({}, { baseUrl: "" });
  expect(noAddress).toMatchObject({ stopReason: "error", error: { kind: "config" } });
  for (const name of ["AZURE_OPENAI_BASE_URL", "AZURE_OPENAI_RESOURCE_NAME"])
    expect(noAddress.errorMessage).toContain(name);
  const noKey = await ask({ apiKey: "" });
  expect(noKey.errorMessage).toMatch(/^No API key for provider: azure\. .*AZURE_OPENAI_API_KEY/);
  expect(noKey).toMatchObject({ error: { kind: "auth_missing" } });
  expect(await ask({ azureBaseUrl: "nowhere" })).toMatchObject({ errorMessage: expect.stringContaining("nowhere") });
});

test("the key comes from the environment", async () => {
  vi.stubEnv("AZURE_OPENAI_API_KEY", "key-env");
  await stream({ ...MODEL, baseUrl: server.url }, HELLO, {}).result();
  expect(server.requests[0]?.headers["api-key"]).toBe("key-env");
});

test("the error of a rejected request contains the status", async () => {
  await using refusing = await serveResponse({
    status: 404,
    body: '{"error":{"code":"DeploymentNotFound","message":"No such"}}',
  });
  const message = await ask({ maxRetries: 0, azureBaseUrl: `${refusing.url}/openai/v1` });
  expect(message).toMatchObject({
    errorMessage: expect.stringMatching(/^404 No such \(provider azure, model gpt-x; asked: http:.*\/responses\)$/),
    error: { kind: "not_found", status: 404 },
  });
});
