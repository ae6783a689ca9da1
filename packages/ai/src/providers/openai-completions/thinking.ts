/** How chat completions servers are told to think: one row for each format. */
import type { CompletionsFlags } from "../../compat/openai-completions.js";
import type { ThinkingFormat } from "../../types/compat.js";
import type { Model } from "../../types/model.js";
import type { ThinkingBudgets, ThinkingLevel } from "../../types/thinking.js";

type Fields = Record<string, unknown>;

/** A wish to think, in the server's own words. */
interface Thinking {
  on: boolean;
  /** The server's word for the level; for off, null where the model cannot be switched off. */
  effort: string | null | undefined;
  flags: CompletionsFlags;
}

interface FormatRow {
  build(thinking: Thinking): Fields;
  /** Whether `reasoning_effort` is sent beside it, where the flag says nothing. */
  effortByDefault: boolean;
}

const FORMATS: Readonly<Record<ThinkingFormat, FormatRow>> = {
  openai: { build: () => ({}), effortByDefault: true },
  openrouter: {
    build: ({ on, effort }) => (effort === null ? {} : { reasoning: { effort: on ? effort : (effort ?? "none") } }),
    effortByDefault: false,
  },
  deepseek: { build: ({ on }) => ({ thinking: { type: on ? "enabled" : "disabled" } }), effortByDefault: true },
  together: { build: ({ on }) => ({ reasoning: { enabled: on } }), effortByDefault: true },
  // Older and newer servers of Z.ai read one field each (docs.z.ai, "Thinking mode", 2026-11). Earlier thinking stays.
  zai: {
    build: ({ on }) => ({
      enable_thinking: on,
      thinking: { type: on ? "enabled" : "disabled", clear_thinking: false },
    }),
    effortByDefault: false,
  },
  qwen: { build: ({ on }) => ({ enable_thinking: on }), effortByDefault: false },
  "qwen-chat-template": {
    build: ({ on }) => ({ chat_template_kwargs: { enable_thinking: on, preserve_thinking: true } }),
    effortByDefault: false,
  },
  "chat-template": {
    build: (thinking) => ({ chat_template_kwargs: fillTemplate(thinking.flags.chatTemplateKwargs, thinking) }),
    effortByDefault: false,
  },
  baseten: {
    build: (thinking) => ({ chat_template_args: fillTemplate(thinking.flags.chatTemplateArgs, thinking) }),
    effortByDefault: true,
  },
  "string-thinking": {
    build: ({ on, effort }) => (effort === null ? {} : { thinking: on ? effort : (effort ?? "none") }),
    effortByDefault: false,
  },
  "ant-ling": { build: ({ on, effort }) => (on && effort ? { reasoning: { effort } } : {}), effortByDefault: false },
};

export function buildThinking(
  model: Model,
  level: ThinkingLevel | undefined,
  budgets: ThinkingBudgets | undefined,
  flags: CompletionsFlags,
): Fields {
  if (!model.reasoning) return {};
  // A flag of the model's own may hold any word.
  const row = FORMATS[flags.thinkingFormat ?? "openai"] ?? FORMATS.openai;
  const map = model.thinkingLevelMap;
  const thinking: Thinking = { on: level !== undefined, effort: level ? (map?.[level] ?? level) : map?.off, flags };
  if (!thinking.on && (thinking.effort === null || flags.omitsThinkingOff)) return {};
  return { ...row.build(thinking), ...buildEffort(thinking, row), ...buildBudget(level, budgets, flags) };
}

/** Off is told by `reasoning_effort` only where the model has a word for it and no other field says so. */
function buildEffort({ on, effort, flags }: Thinking, row: FormatRow): Fields {
  if (!(flags.supportsReasoningEffort ?? row.effortByDefault) || typeof effort !== "string") return {};
  const usesOther = flags.thinkingFormat === "openrouter" || flags.thinkingFormat === "string-thinking";
  if (usesOther || (!on && flags.thinkingFormat !== "openai")) return {};
  return { reasoning_effort: effort };
}

function buildBudget(
  level: ThinkingLevel | undefined,
  budgets: ThinkingBudgets | undefined,
  flags: CompletionsFlags,
): Fields {
  if (!level || !flags.thinkingTokenBudgetField || flags.supportsThinkingTokenBudget === false) return {};
  const budget = budgets?.[level === "xhigh" || level === "max" ? "high" : level];
  return budget === undefined ? {} : { [flags.thinkingTokenBudgetField]: budget };
}

/** Template fields may stand for the wish to think: `{ $var: "thinking.enabled" }` or `{ $var: "thinking.effort" }`. */
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
