/**
 * A provider without a network, for tests and demonstrations. It plays prepared responses, the same way on every run.
 */
import { registerApiProvider, unregisterApiProviders } from "../api-registry.js";
import { ConfigError } from "../errors.js";
import type { Model } from "../types/model.js";
import { checkOptionNames, type OptionNames } from "../utils/nearest-names.js";
import { processState } from "../utils/process-state.js";
import { checkSteps, type FauxPace, FauxPlayer, type FauxResponseStep, type FauxState } from "./faux-player.js";

/** A model of a faux provider; missing fields get harmless defaults. */
export type FauxModelDefinition = Partial<Omit<Model, "api" | "provider">> & { id: string };

/** The names and models of a faux provider, and how it plays responses. */
export interface FauxProviderOptions extends FauxPace {
  /** The api name. Default: a new unique name. */
  api?: string | undefined;
  /** The provider name. Default `"faux"`. */
  provider?: string | undefined;
  /** The models. Default: one model, `faux-1`. */
  models?: FauxModelDefinition[] | undefined;
}

/** {@link FauxProviderOptions}, under its earlier name. */
export type RegisterFauxProviderOptions = FauxProviderOptions;

/** A registered faux provider. */
export interface FauxProviderRegistration {
  /** The name that its models carry as `api`. */
  api: string;
  /** Its models. */
  models: Model[];
  /** Returns the model with this id, or the first model. */
  getModel(id?: string): Model;
  /** The requests that the provider has received. */
  state: FauxState;
  /** Replaces the waiting responses. */
  setResponses(steps: FauxResponseStep[]): void;
  /** Adds responses after the waiting ones. */
  appendResponses(steps: FauxResponseStep[]): void;
  /** The number of waiting responses. */
  getPendingResponseCount(): number;
  /** Throws if responses were not used. */
  assertNoPendingResponses(): void;
  /** Unregisters the provider. */
  unregister(): void;
}

const registrations = /* @__PURE__ */ processState("faux providers", () => ({ count: 0 }));

const NAMES: OptionNames<FauxProviderOptions> = {
  api: true,
  provider: true,
  models: true,
  tokensPerSecond: true,
  tokenSize: true,
  seed: true,
};

/**
 * Registers a provider that plays the prepared responses in order, one per request.
 *
 * @example
 * const faux = registerFauxProvider();
 * faux.setResponses([fauxAssistantMessage("Hello!")]);
 * const message = await complete(faux.getModel(), { messages: [] });
 * faux.unregister();
 */
export function registerFauxProvider(options: FauxProviderOptions = {}): FauxProviderRegistration {
  checkOptionNames("registerFauxProvider", options, NAMES);
  const api = options.api ?? `faux:${++registrations.count}`;
  const sourceId = `faux-provider:${api}`;
  const models = (options.models ?? [{ id: "faux-1", name: "Faux Model" }]).map((definition) => {
    if (typeof Object(definition).id !== "string")
      throw new ConfigError('registerFauxProvider needs models such as { id: "faux-1" }');
    return toModel(api, options, definition);
  });
  const player = new FauxPlayer(options);
  registerApiProvider({ api, stream: player.stream, streamSimple: player.stream }, sourceId);
  return {
    api,
    models,
    getModel: (id) => findModel(models, id),
    state: player.state,
    setResponses: (steps) => player.steps.splice(0, player.steps.length, ...checkSteps(steps)),
    appendResponses: (steps) => player.steps.push(...checkSteps(steps)),
    getPendingResponseCount: () => player.steps.length,
    assertNoPendingResponses: () => {
      if (player.steps.length > 0) throw new Error(`${player.steps.length} faux responses were never requested`);
    },
    unregister: () => unregisterApiProviders(sourceId),
  };
}

function toModel(api: string, { provider = "faux" }: FauxProviderOptions, definition: FauxModelDefinition): Model {
  return {
    name: definition.id,
    baseUrl: "http://localhost:0",
    reasoning: false,
    input: ["text", "image"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 128_000,
    maxTokens: 16_384,
    ...definition,
    api,
    provider,
  };
}

function findModel(models: readonly Model[], id: string | undefined): Model {
  const model = id === undefined ? models[0] : models.find((candidate) => candidate.id === id);
  if (!model)
    throw new Error(
      `The faux provider has no model ${id ?? ""}; it has ${models.map(({ id: known }) => known).join(", ")}`,
    );
  return model;
}
