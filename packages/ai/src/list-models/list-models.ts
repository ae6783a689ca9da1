/** The models that a provider or a server offers now. */
import { AMBIENT_KEY, describeMissingKey, findCredential, getEnv, processEnvironment } from "../catalogue/index.js";
import { ConfigError, ProtocolError } from "../errors.js";
import type { Api, Model, Provider } from "../types/model.js";
import { checkDuration } from "../utils/duration.js";
import { isRecord } from "../utils/is-object.js";
import { isLoopback } from "../utils/loopback.js";
import { checkOptionNames, type OptionNames } from "../utils/nearest-names.js";
import { visibleLine } from "../utils/visible-text.js";
import type { ListedModel } from "./facts.js";
import { cachedList, cacheList, type ServerList } from "./list-cache.js";
import { ListClient, placeOf } from "./list-client.js";
import { type ListModelsNote, ListNotes } from "./list-notes.js";
import { readLocalList, serverOf } from "./local-lists.js";
import { baseFor, createMerge, type ListPlace, listAddress } from "./merge-model.js";
import { itemsOf, type ListForm, listForms, OPENAI_FORM } from "./vendor-lists.js";

export type { ListModelsNote } from "./list-notes.js";

/**
 * Whose models: those of a provider of the catalogue, or those of the server at an address. Both together: a provider's
 * models at another address, such as a gateway's.
 */
export interface ListModelsTarget {
  /** A provider of the catalogue, such as `anthropic`. With `baseUrl`, any name; default `"local"`. */
  provider?: Provider;
  /** The base URL of a server. `/v1` is added where an address has no path. */
  baseUrl?: string;
  /** The api of the models. Default: the provider's, else `openai-completions`. */
  api?: Api;
}

/** Options of {@link listModels}. */
export interface ListModelsOptions {
  /** Default: the key of the provider from the environment. A server on this machine needs none. */
  apiKey?: string | undefined;
  /** More headers for each request. */
  headers?: Record<string, string> | undefined;
  /** Aborts the requests. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for all requests together. Default 15,000. */
  timeoutMs?: number | undefined;
  /** Uses an answer of this process that is at most so many milliseconds old. Default 0: asks each time. */
  maxAgeMs?: number | undefined;
  /** Most models to return. Default 5,000. */
  maxModels?: number | undefined;
  /** Gets what is worth knowing about the list, such as entries that were left out and values that are assumed. */
  onNote?: ((note: ListModelsNote) => void) | undefined;
  /** Sends the requests. Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
}

const DEFAULT_TIMEOUT_MS = 15_000;
const DEFAULT_MAX_MODELS = 5000;
/** More pages are not asked for. */
const MAX_PAGES = 100;

const NAMES: OptionNames<ListModelsOptions> = {
  apiKey: true,
  headers: true,
  signal: true,
  timeoutMs: true,
  maxAgeMs: true,
  maxModels: true,
  onNote: true,
  fetch: true,
};

/**
 * Returns the models that a provider or a server offers now, as plain data for a request or for `registerModels`:
 *
 *     const models = await listModels({ provider: "anthropic" });
 *     const local = await listModels({ baseUrl: "http://localhost:11434" });
 *
 * Vendors' lists are read in their own forms (Anthropic, OpenAI, Gemini, Mistral, OpenRouter, Bedrock, Copilot and any
 * OpenAI-compatible server); Ollama, LM Studio, llama.cpp and vLLM are asked for the context that is loaded, for tools,
 * images and thinking. What a list does not say comes from the model with that id in the catalogue, and what that does not
 * know either is assumed; `onNote` tells which. Models that do not write text are left out. Addresses and headers never
 * come from a list.
 *
 * Bedrock needs an API key of Bedrock (`AWS_BEARER_TOKEN_BEDROCK` or `apiKey`).
 *
 * @throws PiError: `ConfigError` for a wrong argument or a missing key, `ProviderError` for a refusal, `NetworkError` for a
 * broken connection and after `timeoutMs`, `ProtocolError` for an answer that is not a list; or the reason of the abort
 */
export async function listModels(target: ListModelsTarget, options: ListModelsOptions = {}): Promise<Model[]> {
  checkOptionNames("listModels", options, NAMES);
  return (await listServer(target, options)).models;
}

/** {@link listModels}, with the name of the server. */
export async function listServer(target: ListModelsTarget, options: ListModelsOptions): Promise<ServerList> {
  const place = placeOfTarget(target);
  const { timeoutMs = DEFAULT_TIMEOUT_MS, maxAgeMs = 0, signal } = options;
  checkDuration("listModels: timeoutMs", timeoutMs);
  checkDuration("listModels: maxAgeMs", maxAgeMs);
  const forms = listForms(target.provider, target.api);
  const apiKey = keyOf(place, options, forms);
  signal?.throwIfAborted();
  const base = place.baseUrl ?? listAddress(place.provider, forms[0]?.api) ?? "";
  const where = [place.provider, target.api ?? "", base, apiKey, JSON.stringify(options.headers ?? {})];
  const cached = cachedList(where, maxAgeMs);
  if (cached) return cached;
  const headers = { ...headersOf(forms[0] ?? OPENAI_FORM, apiKey), ...options.headers };
  const client = new ListClient({ provider: place.provider, headers, timeoutMs, signal, fetch: options.fetch });
  try {
    const list = await readServer(client, { place, forms, base }, options);
    cacheList(where, list);
    return list;
  } finally {
    client.close();
  }
}

interface Asked {
  place: ListPlace;
  forms: readonly ListForm[];
  base: string;
}

async function readServer(
  client: ListClient,
  { place, forms, base }: Asked,
  options: ListModelsOptions,
): Promise<ServerList> {
  const { maxModels = DEFAULT_MAX_MODELS, onNote } = options;
  const notes = new ListNotes(onNote);
  const limit = { maxModels, notes };
  const pages: { form: ListForm; items: unknown[] }[] = [];
  for (const form of forms) pages.push({ form, items: await readPages(client, form, base, limit) });
  const items = pages.flatMap((page) => page.items);
  const local = place.isOwn && forms[0] === OPENAI_FORM ? await readLocalList(client, rootOf(base), items) : undefined;
  const listed = local?.models ?? pages.flatMap(({ form, items: list }) => list.map((item) => readItem(item, form)));
  return { models: collect(listed, place, { maxModels, notes }), server: local?.server ?? serverOf(items) };
}

function readItem(item: unknown, form: ListForm): ListedModel | undefined {
  return isRecord(item) ? form.read(item) : { id: "" };
}

interface Limit {
  maxModels: number;
  notes: ListNotes;
}

/** Reads the pages of a list. */
async function readPages(
  client: ListClient,
  form: ListForm,
  base: string,
  { maxModels, notes }: Limit,
): Promise<unknown[]> {
  const items: unknown[] = [];
  const first = form.url(base);
  const seen = new Set<string>();
  for (let url = first; ; ) {
    seen.add(url);
    const body = await client.json(url);
    const list = itemsOf(body, form);
    if (!list) {
      throw new ProtocolError(`The answer of ${placeOf(url)} holds no list of models`, { retryable: false });
    }
    for (const item of list) items.push(item);
    const query = isRecord(body) ? form.next?.(body) : undefined;
    if (!query) return items;
    const next = new URL(first);
    for (const [name, value] of Object.entries(query)) next.searchParams.set(name, value);
    url = next.href;
    // A list without an end, or with a page that leads to itself.
    if (seen.has(url) || seen.size >= MAX_PAGES || items.length > maxModels) {
      notes.add("cut", { pages: seen.size });
      return items;
    }
  }
}

/** The longest id that a request could carry. */
const MAX_ID = 300;

function isId(id: string): boolean {
  // An id is sent as it is, so what a reader would not see cannot be written out.
  return id.trim() !== "" && id.length <= MAX_ID && visibleLine(id) === id;
}

/** Makes models of the entries, each id once: the first entry counts. */
function collect(listed: readonly (ListedModel | undefined)[], place: ListPlace, { maxModels, notes }: Limit): Model[] {
  const merge = createMerge(place);
  const models = new Map<string, Model>();
  for (const one of listed) {
    if (!one || !isId(one.id)) notes.count(one ? "unreadable" : "other_models");
    else if (one.lifecycle?.status === "retired") notes.list("retired", one.id);
    else if (models.has(one.id)) notes.list("twice", one.id);
    else if (models.size >= maxModels) notes.count("cut");
    else models.set(one.id, mergeNoted(one, merge, notes));
  }
  notes.send();
  return [...models.values()];
}

function mergeNoted(listed: ListedModel, merge: ReturnType<typeof createMerge>, notes: ListNotes): Model {
  const { model, assumed } = merge(listed);
  for (const field of assumed) notes.list("assumed", model.id, field);
  if (listed.tools === false) notes.list("no_tools", model.id);
  if (model.lifecycle) notes.list("ends", model.id);
  return model;
}

function placeOfTarget(target: ListModelsTarget): ListPlace {
  const { provider, baseUrl, api } = isRecord(target) ? (target as ListModelsTarget) : {};
  if (baseUrl === undefined) {
    if (provider === undefined) throw new ConfigError("listModels needs { provider } or { baseUrl }.");
    const address = listAddress(provider, api);
    if (address !== undefined) return { provider, api, baseUrl: undefined, isOwn: isLoopback(address) };
    throw new ConfigError(
      `listModels: the catalogue has no provider "${String(provider)}". Pass the address of its server as baseUrl.`,
    );
  }
  if (!isHttpAddress(baseUrl)) {
    throw new ConfigError(`listModels: baseUrl must be an address such as "http://localhost:11434", not "${baseUrl}".`);
  }
  // Of a provider of the catalogue, only the address is another one.
  const isOwn = provider === undefined || listAddress(provider, api) === undefined;
  return { provider: provider ?? "local", api, baseUrl: baseFor(baseUrl, api), isOwn };
}

function isHttpAddress(text: string): boolean {
  return URL.canParse(text) && ["http:", "https:"].includes(new URL(text).protocol);
}

/** @throws ConfigError if a vendor needs a key and there is none */
function keyOf({ provider, api, isOwn }: ListPlace, options: ListModelsOptions, forms: readonly ListForm[]): string {
  if (options.apiKey) return options.apiKey;
  const found = findCredential(provider, processEnvironment)?.apiKey;
  const key = found === AMBIENT_KEY ? getEnv("AWS_BEARER_TOKEN_BEDROCK") : found;
  if (key) return key;
  const mayLackKey = isOwn || forms.every(({ isPublic }) => isPublic) || hasOwnKey(options.headers);
  if (mayLackKey) return "";
  throw new ConfigError(describeMissingKey({ provider, api: api ?? forms[0]?.api ?? "" }), { kind: "auth_missing" });
}

function hasOwnKey(headers: Record<string, string> = {}): boolean {
  return Object.keys(headers).some((name) => /^(?:authorization|x-api-key|x-goog-api-key)$/i.test(name));
}

function headersOf({ headers }: ListForm, key: string): Record<string, string> {
  if (headers) return headers(key);
  return key === "" ? {} : { authorization: `Bearer ${key}` };
}

/** The address of a server without the version of its OpenAI-compatible api. */
function rootOf(base: string): string {
  return base.replace(/\/v1$/, "");
}
