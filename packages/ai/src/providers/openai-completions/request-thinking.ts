/** The fields of a chat request for thinking. */
import {
  type CompletionsFlags,
  type ThinkingRequest,
  type ThinkingSettings,
  thinkingRequestOf,
} from "../../catalogue/compat/index.js";
import { levelMapOf } from "../../catalogue/index.js";
import { type ApiRequest, omittedOption } from "../../driver/index.js";
import type { RequestNote } from "../../transport/index.js";
import type { Model, ThinkingBudgets, ThinkingLevel } from "../../types/model.js";
import { planThinking, type ThinkingPlan } from "../plan-thinking.js";
import { budgetStep } from "../thinking.js";
import type { OpenAICompletionsOptions } from "./options.js";

type CompletionsRequest = ApiRequest<OpenAICompletionsOptions>;
type Fields = Record<string, unknown>;

interface RequestThinking {
  plan: ThinkingPlan;
  fields: Fields;
  /** Whether the model thinks, also because the request has no field that keeps it from that. */
  thinks: boolean;
}

export function planRequestThinking(
  { model, options }: CompletionsRequest,
  tools: Fields[] | undefined,
  flags: CompletionsFlags,
): RequestThinking {
  const { reasoningEffort: level, thinkingBudgets: budgets, toolChoice } = options;
  const off = buildThinking(model, undefined, undefined, flags);
  const turnsOff = Object.keys(off).length > 0 && namesOff(model);
  const isForced = tools !== undefined && tools.length > 0 && forcesTool(toolChoice);
  const refusesAlways = flags.forcedToolCalls === "refused";
  const refusesForce =
    refusesAlways ||
    (flags.forcedToolCalls === "refusedWhileThinking" && model.reasoning) ||
    (flags.forcedToolCalls === "refusedByName" && toolChoice !== "required");
  const plan = planThinking({
    wanted: level !== undefined,
    forcedTool: isForced && refusesForce ? toolChoice : undefined,
    alwaysThinks: refusesAlways || !turnsOff,
    isTurnWithoutThinking: false,
    lacksRoom: false,
  });
  const thinks = model.reasoning && (plan.thinks || !turnsOff);
  return { plan, fields: plan.thinks ? buildThinking(model, level, budgets, flags) : off, thinks };
}

/** Whether the model's word for thinking that is off, if it has one, is not the least effort that it can make. */
function namesOff(model: Model): boolean {
  const word = levelMapOf(model)?.off;
  return typeof word !== "string" || word === "none" || word === "off";
}

function forcesTool(toolChoice: OpenAICompletionsOptions["toolChoice"]): boolean {
  return toolChoice !== undefined && toolChoice !== "auto" && toolChoice !== "none";
}

export function buildThinking(
  model: Model,
  level: ThinkingLevel | undefined,
  budgets: ThinkingBudgets | undefined,
  flags: CompletionsFlags,
): Fields {
  if (!model.reasoning) return {};
  const row = thinkingRequestOf(flags);
  const map = levelMapOf(model);
  const off = map ? map.off : flags.effortOff;
  const effort = level ? (map?.[level] ?? level) : off;
  const thinking: ThinkingSettings = { on: level !== undefined, effort, hasLevelNames: map !== undefined, flags };
  const mustThink = effort === null || (flags.alwaysThinks === true && typeof map?.off !== "string");
  if (!thinking.on && (mustThink || flags.omitsThinkingOff)) return {};
  return { ...row.build(thinking), ...buildEffort(thinking, row), ...buildBudget(level, budgets, flags) };
}

/** `reasoning_effort` can turn thinking off only if the model has a level for that. */
function buildEffort({ on, effort, flags }: ThinkingSettings, row: ThinkingRequest): Fields {
  const supported = flags.supportsReasoningEffort ?? row.effort === "unlessRefused";
  if (row.effort === "never" || !supported || typeof effort !== "string") return {};
  return on || row.effortSwitchesOff ? { reasoning_effort: effort } : {};
}

/** Few servers take a number of tokens. */
export function budgetNotes(
  { reasoningEffort: level, thinkingBudgets: budgets }: OpenAICompletionsOptions,
  thinking: Fields,
  { thinkingTokenBudgetField: field }: CompletionsFlags,
): RequestNote[] {
  const isWanted = level !== undefined && budgets?.[budgetStep(level)] !== undefined;
  const isSent = field !== undefined && thinking[field] !== undefined;
  return isWanted && !isSent ? [omittedOption("thinkingBudgets", "no_field_in_api")] : [];
}

function buildBudget(
  level: ThinkingLevel | undefined,
  budgets: ThinkingBudgets | undefined,
  flags: CompletionsFlags,
): Fields {
  if (!level || !flags.thinkingTokenBudgetField || flags.supportsThinkingTokenBudget === false) return {};
  const budget = budgets?.[budgetStep(level)];
  return budget === undefined ? {} : { [flags.thinkingTokenBudgetField]: budget };
}
