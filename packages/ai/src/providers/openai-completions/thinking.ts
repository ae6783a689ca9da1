/** The request fields for thinking. */
import type { CompletionsFlags, ThinkingRequest, ThinkingSettings } from "../../compat/host.js";
import { thinkingRequestOf } from "../../compat/openai-completions.js";
import type { Model } from "../../types/model.js";
import type { ThinkingBudgets, ThinkingLevel } from "../../types/thinking.js";
import { budgetStep } from "../thinking-budget.js";

type Fields = Record<string, unknown>;

export function buildThinking(
  model: Model,
  level: ThinkingLevel | undefined,
  budgets: ThinkingBudgets | undefined,
  flags: CompletionsFlags,
): Fields {
  if (!model.reasoning) return {};
  const row = thinkingRequestOf(flags);
  const map = model.thinkingLevelMap;
  const off = map ? map.off : flags.effortOff;
  const effort = level ? (map?.[level] ?? level) : off;
  const thinking: ThinkingSettings = { on: level !== undefined, effort, mapped: map !== undefined, flags };
  if (!thinking.on && (thinking.effort === null || flags.omitsThinkingOff)) return {};
  return { ...row.build(thinking), ...buildEffort(thinking, row), ...buildBudget(level, budgets, flags) };
}

/** `reasoning_effort` can turn thinking off only if the model has a level for that. */
function buildEffort({ on, effort, flags }: ThinkingSettings, row: ThinkingRequest): Fields {
  const supported = flags.supportsReasoningEffort ?? row.effort === "unlessRefused";
  if (row.effort === "never" || !supported || typeof effort !== "string") return {};
  return on || row.effortSwitchesOff ? { reasoning_effort: effort } : {};
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
