/**
 * A provider without a network, for tests and demonstrations. It plays prepared responses, the same way on every run.
 */
import { registerApiProvider, unregisterApiProviders } from "../api-registry.js";
import { AbortedError, ConfigError } from "../errors.js";
import {
  AssistantMessageBuilder,
  AssistantMessageEventStream,
  type BlockStart,
  toFailure,
  type UsageCounts,
} from "../message/index.js";
import { unknownBlock } from "../request/index.js";
import type { Context } from "../types/context.js";
import type { AssistantBlock, AssistantMessage, Message, UserBlock } from "../types/message.js";
import type { Model } from "../types/model.js";
import type { StreamOptions } from "../types/options.js";
import { anySignal } from "../utils/any-signal.js";
import { startTimer } from "../utils/duration.js";
import { isFailure } from "../utils/message-facts.js";
import { checkOptionNames, type OptionNames } from "../utils/nearest-names.js";
import { processState } from "../utils/process-state.js";
import { type FauxContentBlock, type FauxResponse, nameCalls, toFauxMessage } from "./faux-message.js";

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

// Plays prepared responses as streams.

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
      await options.onResponse?.({ status: 200, headers: {} }, model);
      const given = typeof step === "function" ? await step(context, options, this.state, model) : step;
      const response = toFauxMessage(given);
      nameCalls(response, context.messages);
      const usage = response.usage.totalTokens > 0 ? response.usage : this.#meter.measure(context, options, response);
      const timestamp = response.timestamp || Date.now();
      builder = new AssistantMessageBuilder({ model, emit: (event) => stream.push(event), timestamp });
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

// Plays one prepared response as a provider would stream it.

interface FauxPlan {
  response: AssistantMessage;
  usage: UsageCounts;
  builder: AssistantMessageBuilder;
  signal: AbortSignal | undefined;
  /** Returns the length of the next piece, in tokens of four characters. */
  nextSize: () => number;
  /** Waits before a piece of this many tokens. */
  pace: (tokens: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** Emits the blocks in pieces; the caller ends the message. Throws an `AbortedError` if the signal aborts. */
async function playResponse(plan: FauxPlan): Promise<void> {
  const { response, builder, signal } = plan;
  if (signal?.aborted) throw new AbortedError();
  builder.response(response);
  builder.usage(plan.usage);
  builder.start();
  for (const [index, block] of response.content.entries()) await playBlock(index, block, plan);
  const { stopReason: reason, errorMessage = "", error } = response;
  if (error && isFailure(reason)) return void builder.fail({ reason, errorMessage, error });
  builder.stop(
    response.stopReason,
    response.errorMessage,
    response.error?.kind ?? (response.stopReason === "aborted" ? "aborted" : "unknown"),
  );
}

async function playBlock(index: number, block: FauxContentBlock, plan: FauxPlan): Promise<void> {
  const { builder } = plan;
  builder.open(index, startOf(block));
  for (const piece of cutText(textOf(block), plan.nextSize)) {
    await plan.pace(Math.ceil(piece.length / 4), plan.signal);
    if (plan.signal?.aborted) throw new AbortedError();
    builder.append(index, piece);
  }
  if (block.type === "serverTool") builder.patch(index, { ...block, input: undefined });
  builder.close(index);
  if (block.type === "text") for (const citation of block.citations ?? []) builder.cite(index, citation);
}

/** The block as it begins: arguments and inputs follow in pieces, and a result at the end. */
function startOf(block: FauxContentBlock): BlockStart {
  if (block.type === "toolCall" && block.arguments) return { ...block, arguments: undefined };
  if (block.type === "serverTool") return { type: "serverTool", id: block.id, name: block.name };
  return block;
}

function textOf(block: FauxContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "thinking":
      return block.thinking;
    case "toolCall":
      return block.argumentsText ?? JSON.stringify(block.arguments ?? {});
    case "serverTool":
      return block.input ? JSON.stringify(block.input) : "";
    case "image":
    case "file":
    case "compaction":
      return "";
    default:
      throw unknownBlock(block);
  }
}

/** Splits a text into pieces of the given sizes, never inside a surrogate pair. */
function* cutText(text: string, nextSize: () => number): Generator<string> {
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + 4 * nextSize());
    const last = text.charCodeAt(to - 1);
    if (to < text.length && last >= 0xd800 && last <= 0xdbff) to++;
    yield text.slice(from, to);
    from = to;
  }
}

/** Estimates usage and simulates the provider's cache: each session remembers its last prompt. */
class FauxUsageMeter {
  readonly #prompts = new Map<string, string>();

  measure(context: Context, options: StreamOptions, response: AssistantMessage): UsageCounts {
    const prompt = serializePrompt(context);
    const output = toTokens(response.content.map(serializeBlock).join(""));
    const { sessionId, cacheRetention } = options;
    if (!sessionId || cacheRetention === "none")
      return { input: toTokens(prompt), output, cacheRead: 0, cacheWrite: 0 };
    const cacheRead = toTokens(prompt.slice(0, sharedLength(prompt, this.#prompts.get(sessionId) ?? "")));
    this.#prompts.set(sessionId, prompt);
    return { input: 0, output, cacheRead, cacheWrite: Math.max(0, toTokens(prompt) - cacheRead) };
  }
}

function serializePrompt({ systemPrompt, messages, tools }: Context): string {
  const lines = messages.map((message) => `${message.role}:${serializeMessage(message)}`);
  if (systemPrompt) lines.unshift(`system:${systemPrompt}`);
  if (tools?.length) lines.push(`tools:${JSON.stringify(tools.map(({ cache: _mark, ...tool }) => tool))}`);
  return lines.join("\n\n");
}

function serializeMessage(message: Message): string {
  if (typeof message.content === "string") return message.content;
  const lines = message.content.map(serializeBlock);
  return (message.role === "toolResult" ? [message.toolName, ...lines] : lines).join("\n");
}

function serializeBlock(block: AssistantBlock | UserBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "thinking":
      return block.thinking;
    case "image":
      return `[image:${block.mimeType}:${block.data.length}]`;
    case "file":
      return `[file:${block.mimeType}:${block.data?.length ?? 0}]`;
    case "compaction":
      return block.text ?? "";
    case "toolCall":
      return `${block.name}:${JSON.stringify(block.arguments)}`;
    case "serverTool":
      return `${block.name}:${JSON.stringify([block.input, block.output])}`;
    default:
      throw unknownBlock(block);
  }
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && length < other.length && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  return length;
}

function toTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** Returns a generator of numbers from 0 to 1, 1 excluded (mulberry32). Not for security. */
export function createSeededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
