/** The request fields for thinking: one row for each format. */
import type { CompletionsFlags } from "../../compat/openai-completions.js";
import type { ThinkingFormat } from "../../types/compat.js";
import type { Model } from "../../types/model.js";
import type { ThinkingBudgets, ThinkingLevel } from "../../types/thinking.js";
import { budgetStep } from "../thinking-budget.js";

type Fields = Record<string, unknown>;

/** Thinking settings, with the server's own level names. */
interface Thinking {
  on: boolean;
  /** The server's name for the level; for off, null if the model always thinks. */
  effort: string | null | undefined;
  /** Whether the model's row names the levels. */
  mapped: boolean;
  flags: CompletionsFlags;
}

interface FormatRow {
  build(thinking: Thinking): Fields;
  /**
   * Whether `reasoning_effort` is sent too: `never` if these fields hold the effort themselves, `onRequest` if the flag
   * `supportsReasoningEffort` is true, `unlessRefused` if that flag is not false.
   */
  effort: "never" | "onRequest" | "unlessRefused";
  /** Whether `reasoning_effort` also switches thinking off. Default false: another field does. */
  effortSwitchesOff?: boolean;
}

const FORMATS: Readonly<Record<ThinkingFormat, FormatRow>> = {
  openai: { build: () => ({}), effort: "unlessRefused", effortSwitchesOff: true },
  openrouter: {
    build: ({ on, effort }) => (effort === null ? {} : { reasoning: { effort: on ? effort : (effort ?? "none") } }),
    effort: "never",
  },
  deepseek: { build: ({ on }) => ({ thinking: { type: on ? "enabled" : "disabled" } }), effort: "unlessRefused" },
  together: { build: ({ on }) => ({ reasoning: { enabled: on } }), effort: "unlessRefused" },
  // Older and newer servers of Z.ai read one field each (docs.z.ai, "Thinking mode", 2026-11). Earlier thinking stays.
  zai: {
    build: ({ on }) => ({
      enable_thinking: on,
      thinking: { type: on ? "enabled" : "disabled", clear_thinking: false },
    }),
    effort: "onRequest",
  },
  qwen: { build: ({ on }) => ({ enable_thinking: on }), effort: "onRequest" },
  "qwen-chat-template": {
    build: ({ on }) => ({ chat_template_kwargs: { enable_thinking: on, preserve_thinking: true } }),
    effort: "onRequest",
  },
  "chat-template": {
    build: (thinking) => ({ chat_template_kwargs: fillTemplate(thinking.flags.chatTemplateKwargs, thinking) }),
    effort: "onRequest",
  },
  local: {
    build: ({ on, mapped }) => (on || mapped ? {} : { chat_template_kwargs: { enable_thinking: false } }),
    effort: "unlessRefused",
    effortSwitchesOff: true,
  },
  baseten: {
    build: (thinking) => ({ chat_template_args: fillTemplate(thinking.flags.chatTemplateArgs, thinking) }),
    effort: "unlessRefused",
    effortSwitchesOff: true,
  },
  "string-thinking": {
    build: ({ on, effort }) => (effort === null ? {} : { thinking: on ? effort : (effort ?? "none") }),
    effort: "never",
  },
  "ant-ling": { build: ({ on, effort }) => (on && effort ? { reasoning: { effort } } : {}), effort: "onRequest" },
};

export function buildThinking(
  model: Model,
  level: ThinkingLevel | undefined,
  budgets: ThinkingBudgets | undefined,
  flags: CompletionsFlags,
): Fields {
  if (!model.reasoning) return {};
  // A flag set by the user can be any string.
  const row = FORMATS[flags.thinkingFormat ?? "openai"] ?? FORMATS.openai;
  const map = model.thinkingLevelMap;
  const off = map ? map.off : flags.effortOff;
  const effort = level ? (map?.[level] ?? level) : off;
  const thinking: Thinking = { on: level !== undefined, effort, mapped: map !== undefined, flags };
  if (!thinking.on && (thinking.effort === null || flags.omitsThinkingOff)) return {};
  return { ...row.build(thinking), ...buildEffort(thinking, row), ...buildBudget(level, budgets, flags) };
}

/** `reasoning_effort` can turn thinking off only if the model has a level for that. */
function buildEffort({ on, effort, flags }: Thinking, row: FormatRow): Fields {
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

/** Template fields may be variables: `{ $var: "thinking.enabled" }` or `{ $var: "thinking.effort" }`. */
function fillTemplate(fields: Record<string, unknown> | undefined, { on, effort }: Thinking): Fields {
  const filled: Fields = {};
  for (const [name, value] of Object.entries(fields ?? { enable_thinking: { $var: "thinking.enabled" } })) {
    const variable = isVariable(value) ? value : undefined;
    if (variable?.omitWhenOff && !on) continue;
    if (variable?.$var === "thinking.enabled") filled[name] = on;
    else if (variable?.$var === "thinking.effort") filled[name] = effort ?? undefined;
    else filled[name] = value;
  }
  return filled;
}

function isVariable(value: unknown): value is { $var: string; omitWhenOff?: boolean } {
  return typeof value === "object" && value !== null && "$var" in value;
}
