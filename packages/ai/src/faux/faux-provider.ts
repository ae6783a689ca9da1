/** A provider without a network, for tests and demonstrations: it gives prepared answers, the same on every run. */
import { registerApiProvider, unregisterApiProviders } from "../api-registry.js";
import type { Model } from "../types/model.js";
import { type FauxPace, FauxPlayer, type FauxResponseStep, type FauxState } from "./faux-player.js";

/** A model of a faux provider; what is left out has harmless values. */
export type FauxModelDefinition = Partial<Omit<Model, "api" | "provider">> & { id: string };

/** The names and models of a faux provider. */
export interface FauxProviderOptions extends FauxPace {
  /** Default: a new name. */
  api?: string;
  /** Default `"faux"`. */
  provider?: string;
  /** Default: one model, `faux-1`. */
  models?: FauxModelDefinition[];
}

/** {@link FauxProviderOptions}, under its earlier name. */
export type RegisterFauxProviderOptions = FauxProviderOptions;

/** A registered faux provider. */
export interface FauxProviderRegistration {
  /** The name that its models carry as `api`. */
  api: string;
  /** Its models. */
  models: Model[];
  /** The model with this id, or the first one. */
  getModel(id?: string): Model;
  /** What it has seen. */
  state: FauxState;
  /** Replaces the answers that are waiting. */
  setResponses(steps: FauxResponseStep[]): void;
  /** Adds answers behind those that are waiting. */
  appendResponses(steps: FauxResponseStep[]): void;
  /** How many answers are waiting. */
  getPendingResponseCount(): number;
  /** Throws when answers are left that nobody asked for. */
  assertNoPendingResponses(): void;
  /** Takes the provider away again. */
  unregister(): void;
}

let registrations = 0;

/**
 * Registers a provider that gives the prepared answers in their order, one for each call.
 *
 * @example
 * const faux = registerFauxProvider();
 * faux.setResponses([fauxAssistantMessage("Hello!")]);
 * const message = await complete(faux.getModel(), { messages: [] });
 * faux.unregister();
 */
export function registerFauxProvider(options: FauxProviderOptions = {}): FauxProviderRegistration {
  const api = options.api ?? `faux:${++registrations}`;
  const sourceId = `faux-provider:${api}`;
  const models = (options.models ?? [{ id: "faux-1", name: "Faux Model" }]).map((definition) =>
    toModel(api, options, definition),
  );
  const player = new FauxPlayer(options);
  registerApiProvider({ api, stream: player.stream, streamSimple: player.stream }, sourceId);
  return {
    api,
    models,
    getModel: (id) => findModel(models, id),
    state: player.state,
    setResponses: (steps) => player.steps.splice(0, player.steps.length, ...steps),
    appendResponses: (steps) => player.steps.push(...steps),
    getPendingResponseCount: () => player.steps.length,
    assertNoPendingResponses: () => {
      if (player.steps.length > 0) throw new Error(`${player.steps.length} faux responses were never asked for`);
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
