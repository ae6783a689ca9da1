/**
 * Drives one request of any api, from the key to the terminal event. Keys, hooks, retries, timeouts, abort and failure are
 * handled here and in the files that it calls, so that they are the same for every adapter.
 */
import { assertModelFields, clampThinkingLevel, getEnvCacheRetention, resolveBaseUrl } from "../catalogue/index.js";
import { ProviderError } from "../errors.js";
import {
  AssistantMessageBuilder,
  AssistantMessageEventStream,
  cleanText,
  toFailure,
  unreadFieldsOf,
} from "../message/index.js";
import { isSystemMessage, type PlacedChanges } from "../request/index.js";
import { describeRequest } from "../transport/index.js";
import type { Context } from "../types/context.js";
import type { AssistantMessage } from "../types/message.js";
import type { Model, ModelThinkingLevel } from "../types/model.js";
import type { StreamOptions } from "../types/options.js";
import { isLoopback } from "../utils/loopback.js";
import { RequestGuard } from "../utils/request-guard.js";
import type { ApiAdapter, ApiRequest } from "./api-adapter.js";
import { fitRequest } from "./build-wire-request.js";
import { failStream } from "./failed-stream.js";
import { noteModelEnd } from "./model-end.js";
import { optionsWithoutField } from "./omitted-options.js";
import type { OptionNames } from "./option-names.js";
import { RequestSecrets } from "./request-secrets.js";
import { noteAll, type RequestState } from "./request-state.js";
import { resolveKey } from "./resolve-key.js";
import { sendUntilComplete } from "./send-request.js";
import { noteUnknownOptions } from "./unknown-options.js";
import { startRequestWatch } from "./watch/start-request-watch.js";

export interface RequestInput {
  model: Model;
  context: Context;
  /** The caller's options: limits, signal and hooks are read from here. */
  options: StreamOptions;
  /** The names of the options that all apis share. */
  shared: OptionNames;
  /** Returns the adapter, and loads it if necessary. */
  loadAdapter: () => ApiAdapter | Promise<ApiAdapter>;
  /** How hard the caller wants the model to think, where the options are those of all apis. */
  level?: ModelThinkingLevel | undefined;
  /** Converts the caller's options to those of the adapter, with another level if the conversation began with one. */
  toNative: (adapter: ApiAdapter, level: ModelThinkingLevel | undefined) => StreamOptions;
}

/** Starts a request and returns its stream at once. */
export function runAdapter(input: RequestInput): AssistantMessageEventStream {
  const { model, options } = input;
  assertModelFields(model);
  const guard = new RequestGuard({
    signal: options.signal,
    timeoutMs: options.timeoutMs,
    idleTimeoutMs: options.idleTimeoutMs,
    isLocal: isLoopback(model.baseUrl),
  });
  const stream = new AssistantMessageEventStream({ onAbandoned: () => guard.abort() });
  const builder = new AssistantMessageBuilder({
    model,
    emit: (event) => stream.push(event),
    maxArgumentsLength: options.limits?.argumentsLength,
    maxBlocks: options.limits?.blocks,
  });
  const secrets = new RequestSecrets();
  secrets.hide([options.apiKey], options.headers, model.headers);
  const failed = (error: unknown): void => failStream(stream, model, error, secrets.values);
  // A bug in the driver must end the stream too, and be seen.
  runRequest(input, { guard, stream, builder, secrets, attempts: 0 })
    .catch(failed)
    .catch(() => stream.end());
  return stream;
}

/** One request, in the order in which it happens. It ends with the terminal event and never throws for a failure. */
async function runRequest(input: RequestInput, state: RequestState): Promise<void> {
  const { guard, builder, secrets } = state;
  let message: AssistantMessage | undefined;
  try {
    state.watch = await guard.race(startRequestWatch(input, secrets));
    const adapter = await guard.race(input.loadAdapter());
    // The silence of a server does not begin before its adapter is loaded.
    guard.touch();
    noteUnread(input, adapter, state);
    noteAll(optionsWithoutField(adapter, input.model, input.options), state);
    noteModelEnd(input.model, builder);
    noteLevel(input, builder);
    const placed = await findPlaces(input);
    const prepared = prepareRequest(input, adapter, { secrets, placed });
    const { request, notes, restore } = await guard.race(fitRequest(adapter, prepared));
    noteAll([...placed.notes, ...notes], state);
    state.restore = restore;
    if (request.options.conversation) await useThread(input, { adapter, request }, state);
    await sendUntilComplete(adapter, request, state);
    message = builder.finish((text) => cleanText(text, secrets.values), state.attempts);
    state.thread?.end(message);
  } catch (error) {
    const facts = { secrets: secrets.values, attempts: state.attempts };
    message = builder.fail(toFailure(guard.failure ?? withRequest(error, input.model, state.address), facts));
  } finally {
    state.watch?.end(message);
    guard.close();
  }
}

/** Names what was asked where a server refused it in its stream: the event of an error does not know. */
function withRequest(error: unknown, { provider, id }: Model, url: string | undefined): unknown {
  if (!(error instanceof ProviderError)) return error;
  const advice = describeRequest({ kind: error.kind, provider, model: id, url });
  return advice === undefined ? error : error.withAdvice(advice);
}

/** The conversation with its changes where the model takes them. Few have any. */
async function findPlaces({ context, model, level }: RequestInput): Promise<PlacedChanges> {
  if (!context.messages.some(isSystemMessage)) return { context, level, notes: [] };
  const { placeChanges } = await import("../request/changes/place-changes.js");
  return placeChanges(context, model, level);
}

/** Reports a level that the model does not have, and the nearest one, which it gets. */
function noteLevel({ model, level }: RequestInput, builder: AssistantMessageBuilder): void {
  if (level === undefined || level === "off" || !model.reasoning) return;
  const used = clampThinkingLevel(model, level);
  if (used !== level) builder.note("thinking_level", { asked: level, used });
}

/** Reports what the caller wrote and nothing reads: options, and fields of the context. */
function noteUnread(
  { context, options, shared }: RequestInput,
  { api, ownOptions: own }: ApiAdapter,
  state: RequestState,
): void {
  if (own) noteAll(noteUnknownOptions(api, { options, shared, own }), state);
  const fields = unreadFieldsOf(context);
  if (fields) state.builder.note("unread_fields", { fields });
}

/** The request with the options of the api, the key and the address. */
function prepareRequest(
  { model, toNative }: RequestInput,
  adapter: ApiAdapter,
  { secrets, placed: { context, level, choose } }: { secrets: RequestSecrets; placed: PlacedChanges },
): ApiRequest {
  const native: ApiRequest["options"] & { toolChoice?: unknown } = toNative(adapter, level);
  const options = {
    ...native,
    ...(choose && { toolChoice: choose(native.toolChoice) }),
    cacheRetention: native.cacheRetention ?? getEnvCacheRetention(),
  };
  secrets.hide([], options.headers);
  const key = resolveKey(adapter, model, options);
  secrets.hide([key.apiKey]);
  // A model written by hand may lack the field. The adapter decides whether it needs one.
  const baseUrl = resolveBaseUrl({ ...model, baseUrl: model.baseUrl ?? "" });
  return { model: baseUrl === model.baseUrl ? model : { ...model, baseUrl }, context, options, ...key };
}

/** Lets the server keep the conversation. Few callers ask for it. */
async function useThread(
  { context }: RequestInput,
  { adapter, request }: { adapter: ApiAdapter; request: ApiRequest },
  state: RequestState,
): Promise<void> {
  const { openThread } = await state.guard.race(import("./request-thread.js"));
  const { thread, notes } = openThread(adapter, request, context.messages);
  noteAll(notes, state);
  state.thread = thread;
}
