/** Asks the provider to manage a long conversation, for requests with the option `contextManagement`. */
import { ConfigError } from "../../errors.js";
import { listOf, mergeFields, type RequestNote, type WireRequest, withBetas } from "../../transport/index.js";
import type { ContextManagement } from "../../types/context-management.js";
import type { Model } from "../../types/model.js";
import { isRecord } from "../../utils/is-object.js";
import { checkManagement, FEATURES } from "./check-management.js";
import type { ContextManagementRows, Feature, OptionsOf, Row } from "./management-rows.js";

type Fields = Record<string, unknown>;

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
