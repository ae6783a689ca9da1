/** Resolves compatibility flags by provider, host and model id. */
import type { Model } from "../../types/model.js";
import { isLoopback } from "../../utils/loopback.js";
import { factsOf } from "./families.js";
import type { ModelFacts } from "./family.js";

/** A row applies to the models of its providers or hosts, to all models without these lists; `ids` narrows it further. */
export interface ModelMatch {
  providers?: readonly string[];
  /** Parts of the base URL's host or path. */
  hosts?: readonly string[];
  /** Only servers on this machine. */
  loopback?: true;
  /** Ports of the base URL, of which one must be named. */
  ports?: readonly number[];
  /** Parts of the model's id, of which one must be present. */
  ids?: readonly string[];
  /** Facts that the model's family must state. */
  facts?: Partial<ModelFacts>;
}

export interface CompatRow<TFlags> {
  when: ModelMatch;
  flags: TFlags;
}

/** Merges the flags of all rows that apply. Later rows override earlier ones, the model's own flags all of them. */
export function resolveFlags<TFlags extends object>(
  model: Model,
  defaults: TFlags,
  rows: readonly CompatRow<Partial<TFlags>>[],
): TFlags {
  const flags = { ...defaults };
  for (const row of rows) if (matchesModel(model, row.when)) Object.assign(flags, row.flags);
  // Spread, because an assignment to the name `__proto__` would change the prototype.
  const own = Object.fromEntries(Object.entries(model.compat ?? {}).filter(([, value]) => value !== undefined));
  return { ...flags, ...own };
}

export function matchesModel(
  model: Pick<Model, "provider" | "baseUrl" | "id"> & { name?: string },
  match: ModelMatch,
): boolean {
  const { providers, hosts, ids, facts } = match;
  if (match.loopback && !isLoopback(model.baseUrl)) return false;
  if (match.ports?.every((port) => !model.baseUrl.includes(`:${port}`))) return false;
  const somewhere = providers !== undefined || hosts !== undefined;
  const here = providers?.includes(model.provider) || hosts?.some((host) => model.baseUrl.includes(host));
  if (somewhere && !here) return false;
  if (facts !== undefined && !hasFacts(model, facts)) return false;
  return ids === undefined || ids.some((id) => model.id.toLowerCase().includes(id));
}

function hasFacts(model: Pick<Model, "id"> & { name?: string }, wanted: Partial<ModelFacts>): boolean {
  const facts = new Map<string, unknown>(Object.entries(factsOf(model)));
  return Object.entries(wanted).every(([name, value]) => facts.get(name) === value);
}
