/** Asks the provider to manage a long conversation, for requests with the option `contextManagement`. */
import { ConfigError } from "../../errors.js";
import { listOf, mergeFields, type RequestNote, type WireRequest, withBetas } from "../../transport/index.js";
import type { Model } from "../../types/model.js";
import type { ContextManagement } from "../../types/options.js";
import { isRecord } from "../../utils/is-object.js";
import { nameValue } from "../../utils/name-value.js";

const NO_ROWS: ContextManagementRows = { wrap: listOf, features: {} };

/** The entries that a request sends, and what it cannot send. */
interface Plan {
  entries: Fields[];
  betas: string[];
  /** Features and options that the provider does not support. */
  ignored: string[];
}

/**
 * Adds its api's field `context_management` to the request. Features that the model lacks are omitted, with a
 * diagnostic.
 *
 * @param rows the features of the api
 * @throws ConfigError for an option that does not exist, or that the provider would reject
 */
export function addContextManagement(
  request: WireRequest,
  model: Model,
  management: ContextManagement,
  rows: ContextManagementRows = NO_ROWS,
): WireRequest {
  checkManagement(management);
  const body: Fields = isRecord(request.body) ? { ...request.body } : {};
  const { entries, betas, ignored } = makePlan(rows, model, management, body);
  if (entries.length > 0) mergeFields(body, { context_management: rows.wrap(entries) });
  const notes: RequestNote[] = [...(request.notes ?? [])];
  if (ignored.length > 0) notes.push({ type: "context_management_option", details: { ignored } });
  return { ...request, body, headers: withBetas(request.headers, betas), notes };
}

function makePlan(rows: ContextManagementRows, model: Model, management: ContextManagement, body: Fields): Plan {
  const plan: Plan = { entries: [], betas: [], ignored: [] };
  // The features that the provider supports, in its order, then those that it lacks. The keys of both are features.
  const names = new Set([...Object.keys(rows.features), ...FEATURES] as Feature[]);
  for (const name of names) {
    const wanted = management[name];
    if (!wanted) continue;
    const row = rowOf(rows, name, model);
    if (!row) plan.ignored.push(name);
    else addEntry(plan, name, row, { options: wanted === true ? {} : wanted, model, body });
  }
  return plan;
}

/** A row accepts the options of its own feature. The compiler cannot prove this for a union of features. */
type AnyRow = Row<"compact"> & Row<"clearToolResults"> & Row<"clearThinking">;
type AnyOptions = Partial<OptionsOf<"compact"> & OptionsOf<"clearToolResults">>;

function rowOf({ features }: ContextManagementRows, name: Feature, { provider, id }: Model): AnyRow | undefined {
  const row = features[name] as AnyRow | undefined;
  return row?.providers.includes(provider) && (row.models?.test(id) ?? true) ? row : undefined;
}

function addEntry(
  plan: Plan,
  name: Feature,
  row: AnyRow,
  { options, model, body }: { options: object; model: Model; body: Fields },
): void {
  check(`contextManagement.${name}.atTokens`, Reflect.get(options, "atTokens"), row.minTokens ?? 1, model);
  const keep: unknown = Reflect.get(options, "keep");
  if (keep !== "all") check(`contextManagement.${name}.keep`, keep, row.minKept ?? 0, model);
  const ignored: readonly string[] = row.ignored ?? [];
  plan.ignored.push(
    ...ignored.filter((option) => Reflect.get(options, option) !== undefined).map((option) => `${name}.${option}`),
  );
  if (row.applies && !row.applies(body)) return;
  plan.entries.push(row.entry(options as AnyOptions, model)); // the options of the feature, see AnyRow
  if (row.beta !== undefined) plan.betas.push(row.beta);
}

function check(name: string, value: unknown, minimum: number, { provider }: Model): void {
  if (value === undefined || (Number.isSafeInteger(value) && Number(value) >= minimum)) return;
  throw new ConfigError(`${name} must be a whole number of at least ${minimum} for ${provider}, got ${String(value)}`);
}

// Checks the option `contextManagement` of JavaScript callers, and of settings that were read from a file.

/** The check of a value, and its words. The range of a number depends on the provider. */
type Rule = readonly [expected: string, test: (value: unknown) => boolean];

const NUMBER: Rule = ["a number", (value) => typeof value === "number"];
const FLAG: Rule = ["true or false", (value) => typeof value === "boolean"];

/** The options of every feature. A new one does not compile until it is listed here. */
const OPTIONS: {
  readonly [TFeature in Feature]: { readonly [TOption in keyof Required<OptionsOf<TFeature>>]: Rule };
} = {
  compact: {
    atTokens: NUMBER,
    prompt: ["a text", (value) => typeof value === "string" && value.trim() !== ""],
    pause: FLAG,
  },
  clearToolResults: {
    atTokens: NUMBER,
    keep: NUMBER,
    exclude: ["a list of names", (value) => Array.isArray(value) && value.every((name) => typeof name === "string")],
  },
  clearThinking: { keep: ['a number or "all"', (value) => typeof value === "number" || value === "all"] },
};

/** The features, by name. */
const FEATURES: readonly Feature[] = Object.keys(OPTIONS) as Feature[]; // no other keys compile

/** @throws ConfigError for an unknown feature or option, and for a value of another type */
function checkManagement(management: ContextManagement): void {
  const place = "contextManagement";
  checkNames(place, management, FEATURES);
  for (const name of FEATURES) {
    const wanted: unknown = management[name];
    if (wanted === undefined || wanted === null || typeof wanted === "boolean") continue;
    const rules: Readonly<Record<string, Rule>> = OPTIONS[name];
    for (const [option, value] of checkNames(`${place}.${name}`, wanted, Object.keys(rules))) {
      const [expected, test] = rules[option] ?? FLAG;
      if (value !== undefined && !test(value))
        throw new ConfigError(`${place}.${name}.${option} must be ${expected}, got ${nameValue(value)}`);
    }
  }
}

function checkNames(place: string, value: unknown, known: readonly string[]): [string, unknown][] {
  if (!isRecord(value)) throw new ConfigError(`${place} must be an object with options, got ${nameValue(value)}`);
  const entries = Object.entries(value);
  for (const [name] of entries)
    if (!known.includes(name))
      throw new ConfigError(`${place} has no option ${nameValue(name)}. Its options are ${known.join(", ")}.`);
  return entries;
}

// The features of an api, and their request fields: data of its adapter.

type Fields = Record<string, unknown>;
type Feature = keyof ContextManagement;
/** The options of a feature; `true` stands for none. */
type OptionsOf<TFeature extends Feature> = Exclude<NonNullable<ContextManagement[TFeature]>, boolean>;

/** One feature of one api. */
interface Row<TFeature extends Feature> {
  /** The providers that support the feature through this api. */
  providers: readonly string[];
  /** The models that support it. Default: all models of these providers. */
  models?: RegExp;
  /** The minimum of `atTokens`. */
  minTokens?: number;
  /** The minimum of `keep`. */
  minKept?: number;
  /** Options that the provider does not support. */
  ignored?: readonly (keyof OptionsOf<TFeature>)[];
  /** The beta feature that the request needs, for Anthropic's header. */
  beta?: string;
  /** Whether the feature applies to a request. Default: to each request. */
  applies?(body: Fields): boolean;
  /** One entry of the field `context_management`. */
  entry(options: OptionsOf<TFeature>, model: Model): Fields;
}

/** How the providers of an api shorten a long conversation. */
export interface ContextManagementRows {
  /** The value of the field `context_management`. */
  wrap(entries: readonly Fields[]): unknown;
  /** In the order that the provider requires. */
  features: { readonly [TFeature in Feature]?: Row<TFeature> };
}
