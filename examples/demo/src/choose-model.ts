/** Chooses the model: the one on the command line, else the first one that has a key or runs here, else the scripted one. */
import { getApiProvider, getEnvApiKey, getModels, getProviders, type Model } from "pi-ai";
import { findLocalServers, type ListModelsNote, listModels } from "pi-ai/list-models";
import { nearestNames } from "./nearest-names.ts";
import { createScriptedServer } from "./scripted-server.ts";

export interface ChosenModel {
  model: Model;
  /** Set if the environment has no key. */
  apiKey?: string;
  /** Names the model and the reason for it. */
  note: string;
  close(): Promise<void>;
}

/** Good models for this work by provider, in the order in which the demo looks for keys. */
const FAVOURITES: Readonly<Record<string, string>> = {
  anthropic: "claude-sonnet-5-5",
  openai: "gpt-6.2-sol",
  openrouter: "anthropic/claude-sonnet-5.5",
  google: "gemini-4-hydrogen",
  groq: "openai/gpt-oss-120b",
  xai: "grok-4.7",
  deepseek: "deepseek-flash",
  mistral: "mistral-medium-latest",
};

export interface RequestedModel {
  provider: string | undefined;
  model: string | undefined;
  /** The address of a server of the user's own. */
  server?: string | undefined;
}

/** @param findServers finds the servers on this machine */
export async function chooseModel(
  requested: RequestedModel,
  findServers: typeof findLocalServers = findLocalServers,
): Promise<ChosenModel> {
  if (requested.server !== undefined) return useServer(requested.server, requested.model);
  if (requested.provider === "scripted") return useScriptedModel();
  if (requested.provider === "local") return useLocalModel(requested.model, findServers);
  const provider = requested.provider ?? (requested.model ? providerWith(requested.model) : firstWithKey());
  if (provider === undefined) return useLocalModel(undefined, findServers).catch(useScriptedModel);
  if (!getProviders().includes(provider)) throw new Error(unknownProvider(provider));
  if (!getEnvApiKey(provider)) throw new Error(`There is no key for ${provider} in the environment`);
  const model = findModel(provider, requested.model);
  return { model, note: `${model.name} (${provider})`, close: async () => {} };
}

function unknownProvider(name: string): string {
  const near = nearestNames(name, getProviders());
  const withKey = getProviders().filter((known) => getEnvApiKey(known));
  const meant = near.length > 0 ? ` Did you mean ${near.join(" or ")}?` : "";
  const usable = withKey.length > 0 ? ` The environment has keys for ${withKey.join(", ")}.` : "";
  return `--provider ${name}: there is no provider of that name.${meant || " Try anthropic, openai or openrouter."}${usable}`;
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
  if (!provider) throw new Error(`--model ${id}: no provider that has a key in the environment offers it`);
  return provider;
}

function findModel(provider: string, id: string | undefined): Model {
  const models = usable(provider);
  const wanted = id ?? FAVOURITES[provider];
  const model = models.find((one) => one.id === wanted) ?? (id === undefined ? models[0] : undefined);
  if (model) return model;
  if (id === undefined) throw new Error(`This version can call no model of ${provider}`);
  const ids = models.map((one) => one.id);
  const near = nearestNames(id, ids);
  throw new Error(`${provider} has no model ${id}; try ${(near.length > 0 ? near : ids.slice(0, 3)).join(", ")}`);
}

function usable(provider: string): Model[] {
  return getModels(provider).filter((model) => getApiProvider(model.api));
}

async function useServer(baseUrl: string, id: string | undefined): Promise<ChosenModel> {
  const notes: ListModelsNote[] = [];
  const models = await listModels({ baseUrl }, { onNote: (note) => notes.push(note) });
  return useModelOf(`the server at ${baseUrl}`, { models, notes }, id);
}

/** @throws Error if no server on this machine has a model */
async function useLocalModel(id: string | undefined, findServers: typeof findLocalServers): Promise<ChosenModel> {
  const servers = await findServers();
  const server =
    servers.find(({ models }) => models.some((model) => id === undefined || model.id === id)) ?? servers[0];
  if (!server)
    throw new Error("--provider local: no server on this machine has a model; --server URL names another address");
  return useModelOf(`${server.name} at ${server.baseUrl}`, server, id);
}

/** The model with this id, else the first one that can call tools. */
function useModelOf(
  place: string,
  { models, notes }: { models: readonly Model[]; notes: readonly ListModelsNote[] },
  id: string | undefined,
): ChosenModel {
  const withoutTools = notes.find(({ type }) => type === "no_tools")?.ids ?? [];
  const usual = models.find((one) => !withoutTools.includes(one.id)) ?? models[0];
  const model = id === undefined ? usual : models.find((one) => one.id === id);
  if (!model) {
    const ids = models.map((one) => one.id).slice(0, 3);
    throw new Error(`${place} has no model${id === undefined ? "" : ` ${id}; try ${ids.join(", ")}`}`);
  }
  return { model, note: `${model.name} (${place})`, close: async () => {} };
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
  const note = "a scripted model on 127.0.0.1, since no key is set and no server runs here (the prices are made up)";
  return { model, apiKey: "no-key-needed", note, close: server.close };
}
