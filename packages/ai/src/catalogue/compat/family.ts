/** The form of a family's row, and the search for the row of a model. */
import type { Model, ThinkingLevelMap } from "../../types/model.js";
import type { GoogleFlags } from "./google-flags.js";

/** A change of what the model was given: instructions, tools that it may call, tools that it may no longer, its level. */
export type ChangeKind = "text" | "toolsAdded" | "toolsRemoved" | "thinkingLevel";

/** The facts of a model itself, whatever host serves it: demands, refusals, offers. A fact that is not stated is unknown, or as usual. */
export interface ModelFacts {
  /** The levels of the model, for one without a `thinkingLevelMap` of its own. */
  levels?: ThinkingLevelMap;
  /** The model refuses to switch thinking off. A `thinkingLevelMap` with a word for `off` says that its host can. */
  alwaysThinks?: boolean;
  /** The model refuses another temperature than its own: always, or while it thinks. Default: it takes one. */
  temperature?: "refused" | "refusedWhileThinking";
  /** The model refuses a forced tool call: always, in a request that thinks, or that of a named tool. */
  forcedToolCalls?: "refused" | "refusedWhileThinking" | "refusedByName";
  /** An earlier message without thinking must have the field `reasoning_content` nevertheless. */
  requiresReasoningContentOnAssistantMessages?: boolean;
  /** The text of that field. Default `""`. */
  missingThinking?: string;
  /** The model takes an effort. False: it thinks, but refuses `reasoning.effort` and `reasoning_effort`. */
  supportsReasoningEffort?: boolean;
  /** The vendor's own api takes efforts from the model, where it takes none from others of the family. */
  hasEfforts?: boolean;
  /** The model thinks for a number of tokens, or as long as it finds necessary. */
  thinking?: "budget" | "adaptive";
  /** While the model may call tools between its thoughts, their budget may exceed the limit of the response. */
  budgetMayExceedLimit?: boolean;
  /** The model takes the effort `xhigh`. */
  hasXhighEffort?: boolean;
  /** The server signs the model's thinking, and refuses thinking without a signature. */
  signsThinking?: boolean;
  /** A thinking block is valid only after the system prompt, the tools and the messages that it was written after. */
  bindsThinking?: boolean;
  /** The server leaves out what the model thought in earlier turns, unless a request asks for it; see `earlier-thinking.ts`. */
  leavesOutThinking?: boolean;
  /** How the model responds in JSON of a schema: not at all, without tools only, or also with tools and in their arguments. */
  structuredOutput?: "none" | "withoutTools" | "full";
  /** The model takes marks in its prompt that end a cached part. Claude: `cachePoint`; GPT: `prompt_cache_breakpoint`. */
  takesCacheMarks?: boolean;
  /** The field for the lifetime of the cache: `prompt_cache_retention`, or `prompt_cache_options`. Default: the first. */
  cacheLifetimeField?: "retention" | "options";
  /** The price factor of each service tier, where it is not that of all models. */
  tierFactors?: Readonly<Record<string, number>>;
  /** Z.ai's api can send the arguments of a tool call in pieces. */
  streamsToolArguments?: boolean;
  /** The changes that the model takes in the middle of a conversation, at a host that passes it on; see `changes.ts`. */
  takesInPlace?: readonly ChangeKind[];
  /** The model searches deferred tools itself, at its own vendor. */
  searchesTools?: boolean;
  /** The model refuses a conversation that ends with a response. */
  refusesPrefill?: boolean;
  /** Service tiers that the model is not offered in, by the api's words. */
  refusedTiers?: readonly string[];
  /** Other fields that the model refuses. This library never sends those that are not options; `onPayload` can. */
  refuses?: readonly RefusedField[];
  /** Fields that the model refuses in a request that thinks. */
  refusesWhileThinking?: readonly RefusedField[];
  /** The model refuses a stop sequence of white space. */
  refusesBlankStops?: boolean;
  /** The model takes a temperature or `top_p`, but not both. */
  samplesByOne?: boolean;
}

/** A field of a request, by its name in Chat Completions. */
export type RefusedField =
  | "top_p"
  | "stop"
  | "seed"
  | "parallel_tool_calls"
  | "verbosity"
  | "service_tier"
  | "fallbacks"
  | "presence_penalty"
  | "frequency_penalty"
  | "logprobs";

/** The facts of the models of one family up to a version, or of its newest models. */
export interface FamilyRow {
  family: string;
  /** Matches a part of the id in the spelling of {@link plainId}. The version is the first number after it. */
  ids: RegExp;
  /** The first version, major and minor, to which the row no longer applies. Default: it applies to all later ones. */
  before?: readonly [number, number];
  facts: ModelFacts;
  /** Facts for Google's api. */
  google?: Partial<GoogleFlags>;
}

/**
 * An id or a name in one spelling: hosts write versions with dots, dashes, underscores and `p` (`kimi-k2p6`).
 *
 * @param text in any spelling
 */
export function plainId(text: string): string {
  return text
    .toLowerCase()
    .replace(/(\d)p(?=\d)/g, "$1-")
    .replace(/[\s_.:/@]+/g, "-");
}

/** The first number of at most two digits; a second one is not a size (`3-8b`) or a date (`4-20250514`). */
const VERSION = /(?<!\d)(\d{1,2})(?!\d|[bk])(?:-(\d{1,2})(?![\dbk]))?/;

/**
 * The first row that applies to the model: a row for older models by their version, else the family's last one. So a
 * model of a version that no row knows, or of none, is treated as the newest of its family.
 *
 * @param rows the rows of a family, from old to new
 */
export function findFamilyRow(
  rows: readonly FamilyRow[],
  { id, name }: Pick<Model, "id"> & { name?: string },
): FamilyRow | undefined {
  // The id of an inference profile or of a deployment may not name the model, but its name does.
  return findRow(rows, plainId(id)) ?? (name === undefined ? undefined : findRow(rows, plainId(name)));
}

function findRow(rows: readonly FamilyRow[], text: string): FamilyRow | undefined {
  return rows.find(({ ids, before }) => {
    const found = ids.exec(text);
    if (!found) return false;
    return before === undefined || isBefore(text.slice(found.index + found[0].length), before);
  });
}

function isBefore(rest: string, [major, minor]: readonly [number, number]): boolean {
  const [, first, second = "0"] = VERSION.exec(rest) ?? [];
  if (first === undefined) return false;
  return Number(first) < major || (Number(first) === major && Number(second) < minor);
}
