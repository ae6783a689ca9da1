/** A provider without a network, for tests and demonstrations: it gives prepared answers, the same on every run. */
import { registerApiProvider, unregisterApiProviders } from "../api-registry.js";
import { AssistantMessageBuilder } from "../assemble/assistant-message-builder.js";
import { ConfigError } from "../errors.js";
import { toFailure } from "../runtime/failure.js";
import type { Context } from "../types/context.js";
import type { AssistantMessage } from "../types/message.js";
import type { Model } from "../types/model.js";
import type { StreamOptions } from "../types/options.js";
import { AssistantMessageEventStream } from "../utils/event-stream.js";
import { createSeededRandom } from "../utils/seeded-random.js";
import { playAnswer } from "./faux-stream.js";
import { FauxUsageMeter } from "./faux-usage.js";

export interface FauxState {
  /** How many calls were made. */
  callCount: number;
}

/** Makes an answer when it is asked for. */
export type FauxResponseFactory = (
  context: Context,
  options: StreamOptions,
  state: FauxState,
  model: Model,
) => AssistantMessage | Promise<AssistantMessage>;

export type FauxResponseStep = AssistantMessage | FauxResponseFactory;

export type FauxModelDefinition = Partial<Omit<Model, "api" | "provider">> & { id: string };

export interface FauxProviderOptions {
  /** Default: a new name. */
  api?: string;
  /** Default `"faux"`. */
  provider?: string;
  /** Default: one model, `faux-1`. */
  models?: FauxModelDefinition[];
  /** Paces the pieces by timers. Default: no waiting. */
  tokensPerSecond?: number;
  /** Smallest and largest piece in tokens of four characters. Default 3 to 5. */
  tokenSize?: { min?: number; max?: number };
  /** Chooses the sizes of the pieces. Default 1. */
  seed?: number;
}

export interface FauxProviderRegistration {
  api: string;
  models: Model[];
  /** The model with this id, or the first one. */
  getModel(id?: string): Model;
  state: FauxState;
  /** Replaces the answers that are waiting. */
  setResponses(steps: FauxResponseStep[]): void;
  appendResponses(steps: FauxResponseStep[]): void;
  getPendingResponseCount(): number;
  /** Throws when answers are left that nobody asked for. */
  assertNoPendingResponses(): void;
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

class FauxPlayer {
  readonly state: FauxState = { callCount: 0 };
  readonly steps: FauxResponseStep[] = [];
  readonly #meter = new FauxUsageMeter();
  readonly #nextSize: () => number;
  readonly #tokensPerSecond: number | undefined;

  constructor({ tokenSize = {}, tokensPerSecond, seed = 1 }: FauxProviderOptions) {
    const min = Math.max(1, tokenSize.min ?? 3);
    const max = Math.max(min, tokenSize.max ?? 5);
    const random = createSeededRandom(seed);
    this.#nextSize = () => min + Math.floor(random() * (max - min + 1));
    this.#tokensPerSecond = tokensPerSecond;
  }

  readonly stream = (model: Model, context: Context, options: StreamOptions = {}): AssistantMessageEventStream => {
    const abandoned = new AbortController();
    const signal = options.signal ? AbortSignal.any([options.signal, abandoned.signal]) : abandoned.signal;
    const stream = new AssistantMessageEventStream({ onAbandoned: () => abandoned.abort() });
    void this.#run(stream, model, context, { ...options, signal });
    return stream;
  };

  async #run(
    stream: AssistantMessageEventStream,
    model: Model,
    context: Context,
    options: StreamOptions,
  ): Promise<void> {
    this.state.callCount++;
    const step = this.steps.shift();
    let builder = new AssistantMessageBuilder({ model, emit: (event) => stream.push(event) });
    try {
      if (!step) throw new ConfigError("No more faux responses queued");
      await options.onResponse?.({ status: 200, headers: {} }, model);
      const answer = typeof step === "function" ? await step(context, options, this.state, model) : step;
      const usage = answer.usage.totalTokens > 0 ? answer.usage : this.#meter.measure(context, options, answer);
      const timestamp = answer.timestamp || Date.now();
      builder = new AssistantMessageBuilder({ model, emit: (event) => stream.push(event), timestamp });
      await playAnswer({ answer, usage, builder, signal: options.signal, nextSize: this.#nextSize, pace: this.#pace });
      builder.finish();
    } catch (error) {
      builder.fail(toFailure(error, { secrets: [], attempts: 1 }));
    }
  }

  readonly #pace = async (tokens: number, signal: AbortSignal | undefined): Promise<void> => {
    if (!this.#tokensPerSecond || signal?.aborted) return;
    const ms = (tokens / this.#tokensPerSecond) * 1000;
    await new Promise<void>((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", finish);
        resolve();
      };
      const timer = setTimeout(finish, ms);
      signal?.addEventListener("abort", finish);
    });
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
