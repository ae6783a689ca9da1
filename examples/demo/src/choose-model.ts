/** The model that answers: the one that was asked for, else the first with a key, else the scripted one. */
import { getApiProvider, getEnvApiKey, getModels, getProviders, type Model } from "pi-ai";
import { createScriptedServer } from "./scripted-server.ts";

export interface ChosenModel {
  model: Model;
  /** Given where the environment holds none. */
  apiKey?: string;
  /** Which model answers, and why. */
  note: string;
  close(): Promise<void>;
}

/** Good models for this work, by provider, in the order in which keys are looked for. */
const FAVOURITES: Readonly<Record<string, string>> = {
  anthropic: "claude-sonnet-4-6",
  openai: "gpt-5.4",
  openrouter: "anthropic/claude-sonnet-4.6",
  google: "gemini-3-flash-preview",
  groq: "openai/gpt-oss-120b",
  xai: "grok-4.5",
  deepseek: "deepseek-flash",
  mistral: "mistral-medium-latest",
};

export async function chooseModel(wish: {
  provider: string | undefined;
  model: string | undefined;
}): Promise<ChosenModel> {
  const provider = wish.provider ?? (wish.model ? providerWith(wish.model) : firstWithKey());
  if (provider === undefined) return useScriptedModel();
  if (!getProviders().includes(provider))
    throw new Error(`--provider ${provider}: known are ${getProviders().join(", ")}`);
  if (!getEnvApiKey(provider)) throw new Error(`There is no key for ${provider} in the environment`);
  const model = findModel(provider, wish.model);
  return { model, note: `${model.name} (${provider})`, close: async () => {} };
}

function firstWithKey(): string | undefined {
  const known = Object.keys(FAVOURITES);
  return [...known, ...getProviders().filter((name) => !known.includes(name))].find(
    (name) => getEnvApiKey(name) && usable(name).length > 0,
  );
}

function providerWith(id: string): string {
  const provider = getProviders().find(
    (name) => getEnvApiKey(name) && getModels(name).some((model) => model.id === id),
  );
  if (!provider) throw new Error(`--model ${id}: no provider with a key has it`);
  return provider;
}

function findModel(provider: string, id: string | undefined): Model {
  const models = usable(provider);
  const model =
    id === undefined
      ? (models.find((one) => one.id === FAVOURITES[provider]) ?? models[0])
      : models.find((one) => one.id === id);
  if (!model)
    throw new Error(
      `${provider} has no model ${id ?? "that this version can call"}; try ${models
        .slice(0, 5)
        .map((one) => one.id)
        .join(", ")}`,
    );
  return model;
}

function usable(provider: string): Model[] {
  return getModels(provider).filter((model) => getApiProvider(model.api));
}

async function useScriptedModel(): Promise<ChosenModel> {
  const server = await createScriptedServer();
  const model: Model<"anthropic-messages"> = {
    id: "scripted-1",
    name: "Scripted model",
    api: "anthropic-messages",
    provider: "scripted",
    baseUrl: server.url,
    reasoning: true,
    input: ["text"],
    cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    contextWindow: 200_000,
    maxTokens: 8_192,
  };
  const note = "a scripted model on 127.0.0.1, since no key is set (the prices are made up)";
  return { model, apiKey: "no-key-needed", note, close: server.close };
}
