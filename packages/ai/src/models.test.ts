import { readFileSync } from "node:fs";
import { getModel, getModels, getProviders, type Model, modelsAreEqual, PiError, registerModels } from "pi-ai";
import { afterEach, expect, expectTypeOf, test } from "vitest";

const GATEWAY_MODEL: Model<"openai-completions"> = {
  id: "house-model",
  name: "House Model",
  api: "openai-completions",
  provider: "house-gateway",
  baseUrl: "https://llm.example.com/v1",
  reasoning: false,
  input: ["text"],
  cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 64_000,
  maxTokens: 8_000,
};

const undo: (() => void)[] = [];
afterEach(() => {
  for (const unregister of undo.splice(0)) unregister();
});

function register(...models: Model[]): () => void {
  const unregister = registerModels(models);
  undo.push(unregister);
  return unregister;
}

test("a model of the catalogue has its facts", () => {
  const model = getModel("anthropic", "claude-opus-4-8");
  expect(model).toMatchObject({
    id: "claude-opus-4-8",
    provider: "anthropic",
    api: "anthropic-messages",
    baseUrl: "https://api.anthropic.com",
    reasoning: true,
    input: ["text", "image"],
    cost: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  });
});

test("a known id has the type of its provider's api, and a newer id may be undefined", () => {
  expectTypeOf(getModel("anthropic", "claude-opus-4-8")).toEqualTypeOf<Model<"anthropic-messages">>();
  expectTypeOf(getModel("azure", "gpt-5.4")).toEqualTypeOf<Model<"azure-openai-responses" | "openai-completions">>();
  const newerId: string = "claude-of-tomorrow";
  expectTypeOf(getModel("anthropic", newerId)).toEqualTypeOf<Model | undefined>();
  expectTypeOf(getModel("house-gateway", "house-model")).toEqualTypeOf<Model | undefined>();
  expectTypeOf(getModels("google")).toEqualTypeOf<Model<"google-generative-ai">[]>();
  expect(getModel("anthropic", newerId)).toBeUndefined();
});

test.each(["unknown", "", "__proto__", "constructor", "toString"])(
  "the unknown provider %j has no models",
  (provider) => {
    expect(getModel(provider, "constructor")).toBeUndefined();
    expect(getModels(provider)).toEqual([]);
  },
);

test("the same model is the same object each time, and each list is a copy", () => {
  expect(getModel("groq", "openai/gpt-oss-120b")).toBe(getModel("groq", "openai/gpt-oss-120b"));
  const count = getModels("groq").length;
  getModels("groq").pop();
  expect(getModels("groq")).toHaveLength(count);
});

test("changing one model does not change another", () => {
  const [first, second] = getModels("anthropic").filter((model) => model.compat);
  if (!first?.compat || !second?.compat) throw new Error("the catalogue has two such models");
  expect(first.compat).not.toBe(second.compat);
  expect(first.input).not.toBe(second.input);
  expect(first.cost).not.toBe(second.cost);
});

test("deeper values are shared and frozen", () => {
  const { inputLimits } = { inputLimits: {}, ...getModel("anthropic", "claude-opus-4-8") };
  expect(inputLimits).toHaveProperty("images.resize.maxWidth", 2000);
  expect(Object.isFrozen(inputLimits)).toBe(false);
  const images: object = { images: {}, ...inputLimits }.images;
  expect(() => Object.assign(images, { maxPerRequest: 1 })).toThrow(TypeError);
});

test("every provider has models, each with its own provider and id", () => {
  const providers = getProviders();
  const lines = readFileSync(new URL("../data/models.jsonl", import.meta.url), "utf8")
    .trimEnd()
    .split("\n");
  expect(providers).toEqual([...new Set(lines.map((line): string => JSON.parse(line).provider))]);
  for (const provider of providers) {
    const models = getModels(provider);
    expect(models.length).toBeGreaterThan(0);
    for (const model of models) expect(getModel(provider, model.id)).toBe(model);
  }
});

test("finds a registered model beside the catalogue until it is removed", () => {
  const unregister = register(GATEWAY_MODEL);
  expect(getModel("house-gateway", "house-model")).toBe(GATEWAY_MODEL);
  expect(getModels("house-gateway")).toEqual([GATEWAY_MODEL]);
  expect(getProviders().at(-1)).toBe("house-gateway");
  unregister();
  expect(getModel("house-gateway", "house-model")).toBeUndefined();
  expect(getProviders()).not.toContain("house-gateway");
});

test("a registered model replaces the one of the catalogue", () => {
  const built = getModel("anthropic", "claude-opus-4-8");
  const place = getModels("anthropic").indexOf(built);
  const count = getModels("anthropic").length;
  const ours = { ...built, baseUrl: "https://llm.example.com" };
  const unregister = register(ours);
  expect(getModel("anthropic", "claude-opus-4-8")).toBe(ours);
  expect(getModels("anthropic")[place]).toBe(ours);
  expect(getModels("anthropic")).toHaveLength(count);
  unregister();
  expect(getModel("anthropic", "claude-opus-4-8")).toBe(built);
});

test("registrations of one model can be removed in any order", () => {
  const second = { ...GATEWAY_MODEL, name: "second" };
  const removeFirst = register(GATEWAY_MODEL);
  const removeSecond = register(second);
  expect(getModel("house-gateway", "house-model")).toBe(second);
  expect(getModels("house-gateway")).toEqual([second]);
  removeFirst();
  removeFirst();
  expect(getModel("house-gateway", "house-model")).toBe(second);
  removeSecond();
  expect(getModel("house-gateway", "house-model")).toBeUndefined();
});

test("one invalid model rejects the whole registration, and the error names it and its field", () => {
  const bad = { ...GATEWAY_MODEL, id: "bad", contextWindow: 0 };
  const call = (): unknown => registerModels([GATEWAY_MODEL, bad]);
  expect(call).toThrow("registerModels: models[1]: contextWindow must be a whole number above 0, not 0");
  expect(call).toThrow(expect.toSatisfy((error) => PiError.is(error) && error.kind === "config"));
  expect(getModel("house-gateway", "house-model")).toBeUndefined();
});

test("compares models by provider and id", () => {
  const renamed = { ...GATEWAY_MODEL, name: "other" };
  expect(modelsAreEqual(GATEWAY_MODEL, renamed)).toBe(true);
  expect(modelsAreEqual(GATEWAY_MODEL, { ...renamed, id: "other" })).toBe(false);
  expect(modelsAreEqual(GATEWAY_MODEL, { ...renamed, provider: "other" })).toBe(false);
  expect(modelsAreEqual(undefined, undefined)).toBe(false);
  expect(modelsAreEqual(GATEWAY_MODEL, null)).toBe(false);
});

test("accepts azure-openai-responses for the provider azure", () => {
  expect(getModel("azure-openai-responses", "gpt-5.4")).toBe(getModel("azure", "gpt-5.4"));
  expect(getModels("azure-openai-responses")).toEqual(getModels("azure"));
  expect(getModels("azure")).not.toEqual([]);
});
