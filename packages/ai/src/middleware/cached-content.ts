/**
 * Cached contents of Gemini: Google keeps the beginning of a conversation, and requests refer to it instead of sending
 * it.
 *
 * @module pi-ai/cached-content
 */
import { resolveGoogleFlags } from "../catalogue/compat/index.js";
import { assertModel } from "../catalogue/index.js";
import { ConfigError, PiError, ProtocolError } from "../errors.js";
import { sendElsewhere } from "../tokens/index.js";
import type { SendContext } from "../transport/index.js";
import type { Context } from "../types/context.js";
import type { KnownApi, Model } from "../types/model.js";
import type { SimpleStreamOptions, StreamFn } from "../types/options.js";
import { checkDuration } from "../utils/duration.js";
import { isRecord } from "../utils/is-object.js";
import { checkOptionNames, type OptionNames } from "../utils/nearest-names.js";
import { tryParseJson } from "../utils/read-text.js";
import { type ContentPrefix, checkContent, replacePrefix, toPrefix } from "./cached-prefix.js";
import { checkStreamFn, type WrappedStreamFn } from "./stream-middleware.js";

export type { ContentPrefix } from "./cached-prefix.js";

/** Describes a prompt that Google keeps. It is plain data, so it can be stored and used by another process. */
export interface CachedContent {
  /** Google's name for it, such as `cachedContents/abc`. */
  name: string;
  /** The model that can use it. */
  model: Pick<Model, "provider" | "api" | "id">;
  /** When Google deletes it, in Unix milliseconds. */
  expiresAt: number;
  /** Its size in tokens, if Google reported it. */
  tokens?: number;
  /** Identifies the cached prompt, so that requests with the same beginning can be recognized. */
  prefix: ContentPrefix;
}

/** Options of requests that create or refresh cached contents: those of a model request, and the time to live. */
export interface CachedContentOptions extends SimpleStreamOptions {
  /** How long Google keeps the content, in milliseconds. Default 1 hour. Google charges for the storage. */
  ttlMs?: number | undefined;
}

const DEFAULT_TTL_MS = 3_600_000;
const APIS: readonly KnownApi[] = ["google-generative-ai", "google-vertex"];
/** Splits the path of a model request into the version, the project (on Vertex AI) and the model. */
const MODEL_PATH = /^(.*?)((?:\/projects\/[^/]+\/locations\/[^/]+)?)((?:\/publishers\/google)?\/models\/[^/:]+):\w+$/;
/** Checks names, because they become part of a path. */
const NAME = /^(?:projects\/[\w-]+\/locations\/[\w-]+\/)?cachedContents\/[\w-]+$/;

/**
 * Stores the beginning of a conversation at Google: the system prompt, tools and messages, as `streamSimple` would send
 * them with the same options. `withCachedContent` makes requests with the same beginning refer to it. Google
 * requires a minimum of about 1,000 to 4,000 tokens, depending on the model (ai.google.dev, "Context caching",
 * 2026-11).
 *
 * @throws PiError if the model's api is neither the Gemini API nor Vertex AI, or if the request fails
 */
export async function createCachedContent(
  model: Model,
  context: Context,
  options: CachedContentOptions = {},
): Promise<CachedContent> {
  let body: Record<string, unknown> = {};
  const facts = await send(model, context, options, (path, sent) => {
    if (isRecord(sent)) body = sent;
    const { contents, systemInstruction, tools, toolConfig } = body;
    const cached = { contents, systemInstruction, tools, toolConfig, model: path.model, ttl: ttlOf(options) };
    return { method: "POST", path: `${path.scope}/cachedContents`, body: cached };
  });
  const { provider, api, id } = model;
  return { ...facts, model: { provider, api, id }, prefix: await toPrefix(body) };
}

/**
 * Sets a new time to live for a cached content, counted from now.
 *
 * @throws PiError if the request fails, for example because the content has expired
 */
export async function refreshCachedContent(
  model: Model,
  cached: CachedContent,
  options: CachedContentOptions = {},
): Promise<CachedContent> {
  const path = `/${checkName(checkContent(cached).name)}?updateMask=ttl`;
  const facts = await send(model, EMPTY, options, () => ({ method: "PATCH", path, body: { ttl: ttlOf(options) } }));
  return { ...cached, ...facts };
}

/**
 * Deletes a cached content, which ends its storage costs.
 *
 * @throws PiError if the request fails
 */
export async function deleteCachedContent(
  model: Model,
  cached: CachedContent,
  options: SimpleStreamOptions = {},
): Promise<void> {
  const path = `/${checkName(checkContent(cached).name)}`;
  await request(model, EMPTY, options, { onText: () => {}, target: () => ({ method: "DELETE", path }) });
}

/** A placeholder conversation for requests of which only the address and the key are used. */
const EMPTY: Context = { messages: [{ role: "user", content: "-", timestamp: 0 }] };

interface ModelPath {
  /** `/projects/.../locations/...` on Vertex AI, else empty. */
  scope: string;
  /** The full name of the model. */
  model: string;
}

interface Target {
  method: string;
  /** Follows the version in the URL. */
  path: string;
  body?: object;
}

type Facts = Pick<CachedContent, "name" | "expiresAt" | "tokens">;

async function send(
  model: Model,
  context: Context,
  options: CachedContentOptions,
  target: (path: ModelPath, body: unknown) => Target,
): Promise<Facts> {
  let facts: Facts | undefined;
  const onText = (text: string): void => {
    facts = readFacts(text);
  };
  await request(model, context, options, { onText, target });
  if (!facts) throw new ProtocolError("The provider returned no cached content", { retryable: false });
  return facts;
}

async function request(
  model: Model,
  context: Context,
  { ttlMs: _, ...options }: CachedContentOptions,
  { onText, target }: { onText(text: string): void; target(path: ModelPath, body: unknown): Target },
): Promise<void> {
  assertModel(model);
  const api = APIS.find((name) => name === model.api);
  if (!api) throw new ConfigError(`The api ${model.api} does not support cached contents.`);
  if (!resolveGoogleFlags(model).hasExplicitCaches)
    throw new ConfigError(
      `The model ${model.id} does not support cached contents; Google caches its prompts by itself.`,
    );
  let body: unknown;
  const { errorMessage, error } = await sendElsewhere({ ...model, api }, context, options, {
    toRequest: (built) => {
      body = built.body;
      return built;
    },
    toFetch: (fetch) => redirect(fetch, (path) => target(path, body)),
    onText,
  });
  if (errorMessage !== undefined) throw new PiError(error?.kind ?? "server", errorMessage);
}

function redirect(fetch: SendContext["fetch"], target: (path: ModelPath) => Target): SendContext["fetch"] {
  return (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    const [, version = "", scope = "", model = ""] = MODEL_PATH.exec(url.pathname) ?? [];
    const isVertex = model.startsWith("/publishers/");
    if (isVertex && scope === "")
      throw new ConfigError("Cached contents on Vertex AI require a project and a location; an API key does not work.");
    const { method, path, body } = target({ scope, model: `${scope}${model}`.slice(1) });
    const { origin } = url;
    return fetch(`${origin}${version}${path}`, { ...init, method, body: body ? JSON.stringify(body) : null });
  };
}

function readFacts(text: string): Facts {
  const fields = tryParseJson(text);
  const { name, expireTime, usageMetadata } = isRecord(fields) ? fields : {};
  const expiresAt = Date.parse(String(expireTime));
  const tokens = isRecord(usageMetadata) ? usageMetadata["totalTokenCount"] : undefined;
  if (typeof name !== "string" || Number.isNaN(expiresAt))
    throw new ProtocolError("The provider returned no cached content", { retryable: false });
  return { name: checkName(name), expiresAt, ...(typeof tokens === "number" ? { tokens } : {}) };
}

function checkName(name: string): string {
  if (NAME.test(name)) return name;
  throw new ProtocolError("The name of the cached content is not valid", { retryable: false });
}

function ttlOf({ ttlMs = DEFAULT_TTL_MS }: CachedContentOptions): string {
  return `${Math.ceil(checkDuration("ttlMs", ttlMs) / 1000)}s`;
}

// A stream function whose requests refer to a cached content.

/** Why a request does not use the cached content: the content has expired, or the request does not begin with it. */
export type CachedContentMiss = "expired" | "prefix";

/** Options of {@link withCachedContent}. */
export interface WithCachedContentOptions {
  /** Called when a request to the cached content's model is sent in full instead. */
  onMiss?: ((reason: CachedContentMiss) => void) | undefined;
  /** The time, in Unix milliseconds. Default `Date.now`. */
  now?: (() => number) | undefined;
}

const NAMES: OptionNames<WithCachedContentOptions> = {
  onMiss: true,
  now: true,
};

/**
 * Wraps a stream function so that requests refer to a cached content by name instead of repeating it. This applies to
 * requests of its model that begin with exactly the same system prompt, tools and first messages. Any other request is
 * sent in full, and so is one with `cacheRetention: "none"`.
 *
 * @typeParam TFunction the type of the stream function
 * @param streamFn sends the requests, such as `streamSimple`
 * @param cached the cached content, or a function that returns the current one
 * @throws ConfigError without a stream function or a cached content
 */
export function withCachedContent<TFunction extends StreamFn>(
  streamFn: TFunction,
  cached: CachedContent | (() => CachedContent | undefined),
  options: WithCachedContentOptions = {},
): WrappedStreamFn<TFunction> {
  checkStreamFn("withCachedContent", streamFn);
  checkOptionNames("withCachedContent", options, NAMES);
  const { onMiss, now = Date.now } = options;
  if (typeof cached !== "function") checkContent(cached);
  const shortened: StreamFn = (model, context, options) => {
    const current = typeof cached === "function" ? cached() : cached;
    if (current) checkContent(current);
    if (!current || options?.cacheRetention === "none") return streamFn(model, context, options);
    const onPayload = async (payload: unknown, sentTo: Model): Promise<unknown> => {
      const body = (await options?.onPayload?.(payload, sentTo)) ?? payload;
      // A route between here and the api may have chosen another model.
      if (!isFor(current, sentTo)) return body;
      const isCurrent = current.expiresAt > now();
      const shorter = isCurrent ? await replacePrefix(body, current.name, current.prefix) : undefined;
      if (!shorter) onMiss?.(isCurrent ? "prefix" : "expired");
      return shorter ?? body;
    };
    return streamFn(model, context, { ...options, onPayload });
  };
  return shortened as WrappedStreamFn<TFunction>; // it returns what the function returns
}

function isFor({ model: { provider, api, id } }: CachedContent, model: Model): boolean {
  return provider === model.provider && api === model.api && id === model.id;
}
