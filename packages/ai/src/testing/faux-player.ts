/** Plays prepared responses as streams. */
import { ConfigError } from "../errors.js";
import { AssistantMessageBuilder, AssistantMessageEventStream, checkContents, toFailure } from "../message/index.js";
import type { Context } from "../types/context.js";
import type { AssistantMessage } from "../types/message.js";
import type { Model } from "../types/model.js";
import type { StreamOptions } from "../types/options.js";
import { anySignal } from "../utils/any-signal.js";
import { startTimer } from "../utils/duration.js";
import { type FauxResponse, nameCalls, toFauxMessage } from "./faux-message.js";
import { noteFauxRequest } from "./faux-request.js";
import { createSeededRandom, FauxUsageMeter, playResponse } from "./play-response.js";

/** The state of a faux provider. */
export interface FauxState {
  /** The number of requests. */
  callCount: number;
}

/** Creates the response to a request: whole, or in short. */
export type FauxResponseFactory = (
  context: Context,
  options: StreamOptions,
  state: FauxState,
  model: Model,
) => AssistantMessage | FauxResponse | Promise<AssistantMessage | FauxResponse>;

/** A prepared response, whole or in short, or a function that creates one from the request. */
export type FauxResponseStep = AssistantMessage | FauxResponse | FauxResponseFactory;

/** A text is a list of letters, too, each of which would be a response. */
export function checkSteps(steps: readonly FauxResponseStep[]): readonly FauxResponseStep[] {
  if (!Array.isArray(steps)) throw new ConfigError('Responses are given as a list, such as ["Hello"]');
  return steps;
}

/** How a response is split and paced. */
export interface FauxPace {
  /** Tokens per second, kept by timers. Default: no delay. */
  tokensPerSecond?: number | undefined;
  /** Smallest and largest piece, in tokens of four characters. Default 3 to 5. */
  tokenSize?: { min?: number; max?: number } | undefined;
  /** Seeds the sizes of the pieces. Default 1. */
  seed?: number | undefined;
}

/** Plays prepared responses in order, one per request. */
export class FauxPlayer {
  readonly state: FauxState = { callCount: 0 };
  readonly steps: FauxResponseStep[] = [];
  readonly #meter = new FauxUsageMeter();
  readonly #nextSize: () => number;
  readonly #tokensPerSecond: number | undefined;

  constructor({ tokenSize = {}, tokensPerSecond, seed = 1 }: FauxPace = {}) {
    const min = Math.max(1, tokenSize.min ?? 3);
    const max = Math.max(min, tokenSize.max ?? 5);
    const random = createSeededRandom(seed);
    this.#nextSize = () => min + Math.floor(random() * (max - min + 1));
    this.#tokensPerSecond = tokensPerSecond;
  }

  readonly stream = (model: Model, context: Context, options: StreamOptions = {}): AssistantMessageEventStream => {
    const abandoned = new AbortController();
    const signal = options.signal ? anySignal([options.signal, abandoned.signal]) : abandoned.signal;
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
      if (step === undefined) throw new ConfigError(`No more faux responses queued (request ${this.state.callCount})`);
      checkContents(context.messages);
      await options.onResponse?.({ status: 200, headers: {} }, model);
      const given = typeof step === "function" ? await step(context, options, this.state, model) : step;
      const response = toFauxMessage(given);
      nameCalls(response, context.messages);
      const usage = response.usage.totalTokens > 0 ? response.usage : this.#meter.measure(context, options, response);
      const timestamp = response.timestamp || Date.now();
      builder = new AssistantMessageBuilder({ model, emit: (event) => stream.push(event), timestamp });
      for (const { type, details } of noteFauxRequest(model, context, options)) builder.note(type, details);
      await playResponse({
        response,
        usage,
        builder,
        signal: options.signal,
        nextSize: this.#nextSize,
        pace: this.#pace,
      });
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
        cancel();
        signal?.removeEventListener("abort", finish);
        resolve();
      };
      const cancel = startTimer(finish, ms);
      signal?.addEventListener("abort", finish);
    });
  };
}
