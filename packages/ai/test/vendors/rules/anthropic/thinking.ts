/** What the Messages API refuses: thinking and the parameters beside it. */
import * as find from "../../find.js";
import { fieldsOf, listOf } from "../../request-view.js";
import type { Rule } from "../../rule.js";
import { thinkingOf, thought } from "./form.js";

export const ANTHROPIC_THINKING: readonly Rule[] = [
  {
    id: "anthropic/thinking-signature",
    refuses: "thinking without a signature",
    find: ({ parts }) => {
      const found = parts.find(
        ({ kind, signature }) => kind === "thinking" && (signature === undefined || signature === ""),
      );
      return found && { at: found.at };
    },
    says: "{at}.thinking.signature: Field required",
    source: "langchain-ai/langchain#29971",
    date: "2025-02",
    certainty: "reported",
    example: thought({ signature: "" }),
  },
  {
    id: "anthropic/thinking-last",
    refuses: "a conversation that ends with thinking",
    find: ({ turns, parts, calls }) => {
      const turn = turns.length - 1;
      const last = parts.filter((part) => part.turn === turn).at(-1);
      const found = turns[turn]?.role === "assistant" && last?.kind === "thinking";
      return found && !calls.some((call) => call.turn === turn) ? { at: `messages.${turn}` } : undefined;
    },
    says: "{at}: The final block in an assistant message cannot be `thinking`.",
    source: "cortexkit/magic-context#511",
    date: "2026-09",
    certainty: "reported",
    example: { messages: listOf(thought({}).messages).slice(0, 2) },
  },
  {
    id: "anthropic/thinking-budget",
    refuses: "a budget of thinking below 1,024 tokens",
    find: ({ body }) => {
      const { type, budget_tokens: budget } = fieldsOf(body["thinking"]);
      return type === "enabled" && !(Number(budget) >= 1024) ? { at: "thinking" } : undefined;
    },
    says: "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
    source: "platform.claude.com/docs/en/build-with-claude/extended-thinking",
    date: "2026-11",
    certainty: "documented",
    example: { thinking: { type: "enabled", budget_tokens: 100 } },
  },
  {
    id: "anthropic/thinking-room",
    refuses: "a budget of thinking that is not below `max_tokens`",
    find: ({ body, model, tools }) => {
      const { type, budget_tokens: budget } = fieldsOf(body["thinking"]);
      // With interleaved thinking, a beta in the headers, and tools the window is the limit (same page).
      if (/(opus|sonnet|haiku)-4/.test(model) && tools.length > 0) return undefined;
      return type === "enabled" && Number(budget) >= Number(body["max_tokens"]) ? { at: "thinking" } : undefined;
    },
    says: "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size",
    source: "platform.claude.com/docs/en/build-with-claude/extended-thinking",
    date: "2026-11",
    certainty: "documented",
    example: {
      model: "claude-3-7-sonnet-latest",
      max_tokens: 2000,
      thinking: { type: "enabled", budget_tokens: 2000 },
    },
  },
  {
    id: "anthropic/thinking-manual",
    refuses: "a budget of thinking from Claude 4.7 on",
    find: (request) =>
      thinkingOf(request) === "enabled" && /(opus|sonnet|haiku)-(4-[7-9]|[5-9])|fable/.test(request.model)
        ? { at: "thinking" }
        : undefined,
    says: '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    source: "platform.claude.com/docs/en/build-with-claude/adaptive-thinking",
    date: "2026-11",
    certainty: "documented",
    example: { model: "claude-opus-4-8", max_tokens: 4000, thinking: { type: "enabled", budget_tokens: 2000 } },
  },
  {
    id: "anthropic/thinking-forced",
    refuses: "a forced call together with thinking",
    find: (request) =>
      thinkingOf(request) === "enabled" &&
      ["any", "tool"].includes(String(fieldsOf(request.body["tool_choice"])["type"]))
        ? { at: "tool_choice" }
        : undefined,
    says: "Thinking may not be enabled when tool_choice forces tool use.",
    source: "platform.claude.com/docs/en/build-with-claude/extended-thinking",
    date: "2026-11",
    certainty: "documented",
    example: { thinking: { type: "enabled", budget_tokens: 2000 }, tool_choice: { type: "any" } },
  },
  {
    id: "anthropic/thinking-temperature",
    refuses: "a temperature other than 1 together with thinking",
    find: (request) =>
      thinkingOf(request) === "enabled" ? find.field("temperature", (value) => value !== 1)(request) : undefined,
    says: "`temperature` may only be set to 1 when thinking is enabled.",
    source: "platform.claude.com/docs/en/build-with-claude/extended-thinking",
    date: "2026-11",
    certainty: "documented",
    example: { thinking: { type: "enabled", budget_tokens: 2000 }, temperature: 0.5 },
  },
  {
    id: "anthropic/one-sampling",
    refuses: "a temperature together with `top_p`, from Claude 4.1 on",
    find: find.field(
      "top_p",
      (_value, { body, model }) => body["temperature"] !== undefined && /-4-[1-9]\b|-[5-9]|fable/.test(model),
    ),
    says: "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
    source: "BerriAI/litellm#15097",
    date: "2025-10",
    certainty: "reported",
    example: { temperature: 0.5, top_p: 0.5 },
  },
  {
    id: "anthropic/thinking-top-p",
    refuses: "`top_p` below 0.95 together with thinking",
    find: (request) =>
      thinkingOf(request) === "enabled" ? find.field("top_p", (value) => Number(value) < 0.95)(request) : undefined,
    says: "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.",
    source: "platform.claude.com/docs/en/build-with-claude/extended-thinking",
    date: "2026-11",
    certainty: "documented",
    example: { thinking: { type: "enabled", budget_tokens: 2000 }, top_p: 0.5 },
  },
  {
    id: "anthropic/stop-blank",
    refuses: "a stop sequence of white space",
    find: find.field("stop_sequences", (value) => Array.isArray(value) && value.some((text) => !String(text).trim())),
    says: "stop_sequences: each stop sequence must contain non-whitespace",
    source: "langchain-ai/langchainjs#2513",
    date: "2023-08",
    certainty: "supposed",
    example: { stop_sequences: ["\n"] },
  },
  {
    id: "anthropic/temperature",
    refuses: "a temperature from Claude 4.7 on",
    find: find.field("temperature", (_value, { model }) => /(opus|sonnet|haiku)-(4-[7-9]|[5-9])|fable/.test(model)),
    says: "`temperature` is deprecated for this model.",
    source: "platform.claude.com/docs/en/about-claude/models/migration-guide",
    date: "2026-11",
    certainty: "documented",
    example: { model: "claude-opus-4-8", temperature: 0.5 },
  },
];
