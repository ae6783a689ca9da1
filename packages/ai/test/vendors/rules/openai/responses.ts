/** What OpenAI refuses on its Responses API. */
import { isObjectText } from "../../../validators/faults.js";
import * as find from "../../find.js";
import { listOf } from "../../request-view.js";
import type { Rule } from "../../rule.js";
import { schemaNodes } from "../../schema-walk.js";
import { RESPONSES_FORM } from "./form.js";
import { sharedRules } from "./shared.js";

const RESPONSES_API = "platform.openai.com/docs/api-reference/responses/create";

export const OPENAI_RESPONSES_RULES: readonly Rule[] = [
  ...sharedRules(RESPONSES_FORM),
  {
    id: "openai-responses/no-input",
    refuses: "a request without input",
    find: ({ body, turns }) =>
      turns.length === 0 && typeof body["input"] !== "string" && body["previous_response_id"] === undefined
        ? { at: "input" }
        : undefined,
    says: "One of 'input' or 'previous_response_id' or 'prompt' or 'conversation' must be provided.",
    code: "missing_required_parameter",
    source: RESPONSES_API,
    date: "2026-11",
    certainty: "supposed",
    example: { input: [] },
  },
  {
    id: "openai-responses/unanswered-call",
    refuses: "a call without an output",
    find: find.unansweredCall("anywhere"),
    says: "No tool output found for function call {id}.",
    source: "anomalyco/opencode#16717",
    date: "2026-03",
    certainty: "reported",
    example: RESPONSES_FORM.called([{}], []),
  },
  {
    id: "openai-responses/orphan-result",
    refuses: "an output without a call",
    find: find.orphanResult("anywhere"),
    says: "No tool call found for function call output with call_id {id}.",
    source: "deepseek-ai/DeepSeek-V3#1611",
    date: "2026-08",
    certainty: "reported",
    example: RESPONSES_FORM.called([], ["a1"]),
  },
  {
    id: "openai-responses/search-model",
    refuses: "a tool search for models before GPT-5.4",
    find: ({ body, model }) => {
      const [, version] = /^gpt-(\d(?:\.\d)?)(?!\d)/.exec(model) ?? [];
      const searches = [...listOf(body["input"]), ...listOf(body["tools"])].some(({ type }) =>
        String(type).startsWith("tool_search"),
      );
      return searches && version !== undefined && Number(version) < 5.4 ? { at: "input" } : undefined;
    },
    says: "Only gpt-5.4 and later models support tool_search.",
    source: "developers.openai.com/api/docs/guides/tools-tool-search",
    date: "2026-11",
    certainty: "documented",
    example: { model: "gpt-5.2", tools: [{ type: "tool_search" }] },
  },
  {
    id: "openai-responses/reasoning-alone",
    refuses: "a reasoning item that its message or call does not follow",
    find: ({ body }) => {
      const items = listOf(body["input"]);
      const turn = items.findIndex((item, index) => {
        const next = items.slice(index + 1).find(({ type }) => type !== "reasoning");
        return item["type"] === "reasoning" && (next === undefined || next["role"] === "user");
      });
      return turn < 0 ? undefined : { at: `input[${turn}]`, id: String(items[turn]?.["id"]) };
    },
    says: "Item '{id}' of type 'reasoning' was provided without its required following item.",
    source: "vercel/ai#7099",
    date: "2025-11",
    certainty: "reported",
    example: {
      input: [
        { role: "user", content: "Hi" },
        { type: "reasoning", id: "rs_1", summary: [] },
      ],
    },
  },
  {
    id: "openai-responses/same-item-id",
    refuses: "two items with one id",
    find: ({ body }) => {
      const ids = listOf(body["input"]).flatMap(({ id, type }) =>
        id === undefined || type === "local_shell_call_output" ? [] : [String(id)],
      );
      const twice = ids.find((id, index) => ids.indexOf(id) !== index);
      return twice === undefined ? undefined : { at: "input", id: twice };
    },
    says: "Duplicate item found with id {id}. Remove duplicate items from your input and try again.",
    source: "vercel/ai#8379",
    date: "2025-09",
    certainty: "reported",
    example: {
      input: ["a", "b"].map((text) => ({
        type: "message",
        role: "assistant",
        id: "msg_1",
        content: [{ type: "output_text", text }],
      })),
    },
  },
  {
    id: "openai-responses/item-id",
    refuses: "an item whose id does not begin with the letters of its type, or has more than 64 characters",
    find: ({ body }) => {
      const letters: Readonly<Record<string, string>> = { function_call: "fc", message: "msg", reasoning: "rs" };
      for (const [turn, { id, type }] of listOf(body["input"]).entries()) {
        const wanted = letters[String(type)];
        if (wanted === undefined || id === undefined) continue;
        if (!String(id).startsWith(wanted) || String(id).length > 64)
          return { at: `input[${turn}].id`, id: String(id), wanted };
      }
      return undefined;
    },
    says: "Invalid '{at}': '{id}'. Expected an ID that begins with '{wanted}'.",
    code: "invalid_value",
    source: "bastani-inc/atomic#2204",
    date: "2026-09",
    certainty: "reported",
    example: { input: [{ type: "function_call", id: "x1", call_id: "a1", name: "read", arguments: "{}" }] },
  },
  {
    id: "openai-responses/call-arguments-json",
    refuses: "a call whose arguments are no object in JSON",
    find: ({ calls }) => {
      const found = calls.find(({ input }) => typeof input === "string" && !isObjectText(input));
      return found && { at: found.at };
    },
    says: "Invalid '{at}.arguments': not valid JSON.",
    source: RESPONSES_API,
    date: "2026-11",
    certainty: "supposed",
    example: RESPONSES_FORM.called([{ arguments: "{" }], ["a1"]),
  },
  {
    id: "openai-responses/max-output",
    refuses: "a limit of output below 16",
    find: find.field("max_output_tokens", (value) => Number(value) < 16),
    says: "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got {value} instead.",
    code: "integer_below_min_value",
    source: "vectorize-io/hindsight#58",
    date: "2025-12",
    certainty: "reported",
    example: { max_output_tokens: 8 },
  },
  {
    id: "openai-responses/empty-content",
    refuses: "a message with an empty list as content",
    find: ({ turns }) => {
      const found = turns.find(({ content }) => Array.isArray(content) && content.length === 0);
      return found && { at: `${found.at}.content` };
    },
    says: "Invalid '{at}': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    code: "empty_array",
    source: RESPONSES_API,
    date: "2026-11",
    certainty: "supposed",
    example: { input: [{ role: "user", content: [] }] },
  },
  {
    id: "openai-responses/schema-depth",
    refuses: "a strict schema of more than 10 levels",
    find: find.schema(({ schema, strict }) => {
      const depth = Math.max(
        0,
        ...schemaNodes(schema).map(({ path }) => path.filter((key) => /^properties|items$/.test(key)).length),
      );
      return strict && depth > 10 ? { depth } : undefined;
    }),
    says: "Invalid schema for function '{name}': {depth} levels of nesting exceeds limit of 10.",
    code: "invalid_function_parameters",
    source: "developers.openai.com/api/docs/guides/structured-outputs",
    date: "2026-11",
    certainty: "documented",
    example: RESPONSES_FORM.tools({ strict: true, parameters: nested(12) }),
  },
];

function nested(depth: number): object {
  const closed = { type: "object", required: ["a"], additionalProperties: false };
  return depth === 0 ? { type: "string" } : { ...closed, properties: { a: nested(depth - 1) } };
}
