/** Makes models of what a list says, and of what the catalogue knows about them and about models like them. */
import { factsOf } from "../catalogue/compat/index.js";
import { resolveBaseUrl } from "../catalogue/index.js";
import { getModels, getProviders } from "../models.js";
import type { Api, Model } from "../types/model.js";
import { visibleLine } from "../utils/visible-text.js";
import type { ListedModel } from "./facts.js";

/** Where the models of a list are. */
export interface ListPlace {
  provider: string;
  api: Api | undefined;
  /** The address of the caller; undefined if it comes from the catalogue. */
  baseUrl: string | undefined;
  /** Whether the server is one's own: it has no prices. */
  isOwn: boolean;
}

/** A model, and the fields that neither the list nor the catalogue knew. */
export interface MergedModel {
  model: Model;
  assumed: string[];
}

const FREE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
/** The limits that are assumed of a model at a vendor. On one's own machine, less is safer: a server there drops the excess silently. */
const VENDOR_CONTEXT = 128_000;
const OWN_CONTEXT = 4096;
const OUTPUT = 8192;
/** The longest name to show, in characters. */
const MAX_NAME = 200;
/** The fewest characters that two ids share if one is a successor of the other. */
const MIN_SHARED = 4;

/** The facts of a list win; the catalogue's model with this id fills in, then its namesakes at other hosts. */
export function createMerge(place: ListPlace): (listed: ListedModel) => MergedModel {
  const siblings = getModels(place.provider);
  const byId = new Map(siblings.map((model) => [model.id, model]));
  return (listed) => merge(listed, byId.get(listed.id), siblings, place);
}

function merge(
  listed: ListedModel,
  known: Model | undefined,
  siblings: readonly Model[],
  place: ListPlace,
): MergedModel {
  const api = place.api ?? known?.api ?? listed.api ?? usualApi(siblings) ?? "openai-completions";
  const kin = known ?? namesake(listed.id);
  const assumed: string[] = [];
  const filled = fill(listed, { kin, known, relative: kin ?? nearest(listed.id, siblings) }, place, assumed);
  const model: Model = {
    ...(known?.api === api ? known : withoutAddress(siblings.find((one) => one.api === api))),
    id: listed.id,
    name: visibleLine((listed.name || known?.name || listed.id).slice(0, MAX_NAME)),
    api,
    provider: place.provider,
    baseUrl: addressOf(place, api, known, siblings),
    ...filled,
    ...(listed.thinkingLevelMap && !known?.thinkingLevelMap ? { thinkingLevelMap: listed.thinkingLevelMap } : {}),
    ...(listed.lifecycle ? { lifecycle: listed.lifecycle } : {}),
  };
  return { model, assumed };
}

type Given = { [TField in keyof Filled]?: Filled[TField] | undefined };
type Filled = Pick<Model, "contextWindow" | "maxTokens" | "reasoning" | "input" | "cost">;

/** Whose facts fill in: the model itself at this host or at any, the model at this host, and the most similar one. */
interface Kin {
  kin: Model | undefined;
  known: Model | undefined;
  relative: Model | undefined;
}

/** @param assumed gets the fields that nobody knows */
function fill(listed: ListedModel, { kin, known, relative }: Kin, { isOwn }: ListPlace, assumed: string[]): Filled {
  const given: Given = listed;
  const pick = <TField extends keyof Filled>(field: TField, facts: Given | undefined, otherwise: Filled[TField]) => {
    const value: Filled[TField] | undefined = given[field] ?? facts?.[field];
    if (value === undefined) assumed.push(field);
    return value ?? otherwise;
  };
  // The context of a server at home is what it has loaded, whatever the model could take elsewhere.
  const contextWindow = pick("contextWindow", isOwn ? known : kin, isOwn ? OWN_CONTEXT : VENDOR_CONTEXT);
  const longest = isOwn ? Math.ceil(contextWindow / 2) : contextWindow;
  const output = isOwn ? (listed.maxTokens ?? longest) : pick("maxTokens", kin, OUTPUT);
  const cost = isOwn ? (listed.cost ?? FREE) : pick("cost", known, FREE);
  return {
    reasoning: pick("reasoning", kin ?? thinkingOf(listed), relative?.reasoning ?? false),
    input: pick("input", kin, relative?.input ?? ["text"]),
    cost: { ...cost },
    contextWindow,
    maxTokens: Math.min(output, longest),
  };
}

/** Whether the family of a model thinks, if its row says so. */
function thinkingOf({ id, name }: ListedModel): Pick<Model, "reasoning"> | undefined {
  const { alwaysThinks, thinking } = factsOf(name ? { id, name } : { id });
  return alwaysThinks || thinking !== undefined ? { reasoning: true } : undefined;
}

/** The fields that belong to the host, such as its headers, and not to one model. */
function withoutAddress(sibling: Model | undefined): Pick<Model, "headers"> {
  return sibling?.headers ? { headers: sibling.headers } : {};
}

function addressOf(place: ListPlace, api: Api, known: Model | undefined, siblings: readonly Model[]): string {
  if (place.baseUrl !== undefined) return baseFor(place.baseUrl, api);
  return (known?.api === api ? known : siblings.find((one) => one.api === api))?.baseUrl ?? "";
}

/** The apis whose base URL ends in the version. The others begin their paths with it. */
const VERSIONED: ReadonlySet<Api> = new Set(["openai-completions", "openai-responses"]);

/** The base URL of an api at an address that may have a version, or none. */
export function baseFor(address: string, api: Api | undefined): string {
  const base = address.replace(/\/{1,8}$/, "");
  if (api === undefined || VERSIONED.has(api)) return hasPath(base) ? base : `${base}/v1`;
  return api === "anthropic-messages" || api === "mistral-conversations" ? base.replace(/\/v1$/, "") : base;
}

function hasPath(base: string): boolean {
  return URL.canParse(base) && new URL(base).pathname !== "/";
}

/** The base URL of a provider's list, with the placeholders of the environment filled in. */
export function listAddress(provider: string, api: Api | undefined): string | undefined {
  const models = getModels(provider);
  const model = models.find((one) => one.api === api) ?? models[0];
  return model && resolveBaseUrl(model).replace(/\/{1,8}$/, "");
}

/** The api of most models of a provider. */
function usualApi(models: readonly Model[]): Api | undefined {
  const counts = new Map<Api, number>();
  for (const { api } of models) counts.set(api, (counts.get(api) ?? 0) + 1);
  return [...counts].sort(([, left], [, right]) => right - left)[0]?.[0];
}

/** The part of an id that names the model wherever it runs: `Qwen/Qwen3-8B` and `qwen3-8b.gguf` are one. */
function bareName(id: string): string {
  return id
    .replace(/^.*\//, "")
    .replace(/\.gguf$/i, "")
    .replace(/-(?:q\d\w*|gguf|fp8|awq|mlx(?:-\w+)?|\d-?bit)$/i, "")
    .replaceAll(":", "-")
    .toLowerCase();
}

let namesakes: Map<string, Model> | undefined;

/** A model of the catalogue with the same name at another host. */
function namesake(id: string): Model | undefined {
  if (!namesakes) {
    namesakes = new Map();
    for (const provider of getProviders()) {
      for (const model of getModels(provider)) {
        const name = bareName(model.id);
        if (!namesakes.has(name)) namesakes.set(name, model);
      }
    }
  }
  return namesakes.get(bareName(id));
}

/** The model whose id begins most like this one: a successor is likely to have its abilities. Of several, the newest. */
function nearest(id: string, models: readonly Model[]): Model | undefined {
  let best: Model | undefined;
  let most = MIN_SHARED;
  for (const model of models) {
    const shared = sharedLength(id, model.id);
    if (shared < most) continue;
    best = model;
    most = shared;
  }
  return best;
}

function sharedLength(left: string, right: string): number {
  let length = 0;
  while (length < left.length && left[length] === right[length]) length++;
  return length;
}
