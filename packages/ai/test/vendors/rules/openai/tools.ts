/** What OpenAI refuses in tools, on both of its apis. */
import * as find from "../../find.js";
import { type Fields, fieldsOf, listOf } from "../../request-view.js";
import type { Rule } from "../../rule.js";
import { hasType } from "../../schema-walk.js";
import { type OpenAIForm, TYPES } from "./form.js";

const NOT_STRICT = "Invalid schema for function '{name}': ";
const TOP = "oneOf anyOf allOf enum not".split(" ");

/** Rules on tools, of both wire formats. */
export function toolRules({ vendor, tools }: OpenAIForm): Rule[] {
  const code = "invalid_function_parameters";
  const isChat = vendor === "openai-chat";
  const schema = (parameters: object): Fields => tools({ parameters });
  return [
    {
      id: `${vendor}/tool-name`,
      refuses: "a tool whose name has other characters than letters, digits, `_` and `-`",
      find: find.toolName(/^[a-zA-Z0-9_-]*$/),
      says: "Invalid '{at}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
      code: "invalid_value",
      source: "coinbase/agentkit#217",
      date: "2025-02",
      certainty: "reported",
      example: tools({ name: "a.b" }),
    },
    {
      id: `${vendor}/tool-name-length`,
      refuses: "a tool whose name has no character, or more than 64",
      find: find.toolName(/^.{1,64}$/s),
      says: "Invalid '{at}': string too long. Expected a string with maximum length 64.",
      code: "string_above_max_length",
      source: TYPES,
      date: "2026-11",
      certainty: "documented",
      example: tools({ name: "x".repeat(65) }),
    },
    {
      id: `${vendor}/tool-count`,
      refuses: "more than 128 tools",
      find: find.tooManyTools(128),
      says: "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length {count} instead.",
      code: "array_above_max_length",
      source: "vishalmysore/Tools4AI#16",
      date: "2024-05",
      certainty: "reported",
      example: tools(...Array.from({ length: 129 }, (_, index) => ({ name: `t${index}` }))),
    },
    {
      id: `${vendor}/description-length`,
      refuses: "a tool's description of more than 1,024 characters",
      find: find.longDescription(1024),
      says: "Invalid '{at}': string too long. Expected a string with maximum length 1024, but got a string with length {length} instead.",
      code: "string_above_max_length",
      source: "FoundationAgents/OpenManus#993",
      date: "2025-03",
      certainty: "supposed",
      example: tools({ description: "x".repeat(1025) }),
    },
    {
      id: `${vendor}/schema-top`,
      refuses: "`oneOf`, `anyOf`, `allOf`, `enum` or `not` at the top of a tool's schema",
      find: find.schemaTop(...TOP),
      says: `${NOT_STRICT}schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.`,
      code,
      source: "langchain-ai/langchainjs#9804",
      date: "2026-01",
      certainty: "reported",
      example: schema({ type: "object", properties: {}, anyOf: [{ type: "object", properties: {} }] }),
    },
    {
      id: `${vendor}/schema-type`,
      refuses: "a tool's schema that is no object at the top",
      find: find.schema(find.notAnObject),
      says: `${NOT_STRICT}schema must be a JSON Schema of 'type: "object"', got 'type: {type}'.`,
      code,
      source: "vercel/ai#1485",
      date: "2024-05",
      certainty: "reported",
      example: schema({ type: "array", items: {} }),
    },
    {
      id: `${vendor}/schema-properties`,
      refuses: "an object without `properties`, at any depth of a tool's schema",
      find: find.objectWithoutProperties,
      says: `${NOT_STRICT}In context={context}, object schema missing properties.`,
      code,
      source: "tailcallhq/forgecode#1359",
      date: "2025-08",
      certainty: "reported",
      example: schema({ type: "object" }),
    },
    {
      id: `${vendor}/schema-items`,
      refuses: "an array without `items`, at any depth, also one with `prefixItems`",
      find: find.arrayWithoutItems,
      says: `${NOT_STRICT}In context={context}, array schema missing items.`,
      code,
      source: "PrefectHQ/fastmcp#2464",
      date: "2025-11",
      certainty: "reported",
      example: schema({ type: "object", properties: { a: { type: "array", prefixItems: [{}] } } }),
    },
    {
      id: `${vendor}/schema-keyword`,
      refuses:
        "a keyword with a value that JSON Schema does not allow: `required: true`, `properties: []`, a list in `items`",
      find: find.malformedSchema,
      says: `${NOT_STRICT}{value} is not of type 'array'.`,
      code,
      source: "CherryHQ/cherry-studio#4188",
      date: "2025-03",
      certainty: "reported",
      example: schema({ type: "object", properties: {}, required: true }),
    },
    {
      id: `${vendor}/strict-closed`,
      refuses: "an object that takes further properties, in a strict tool",
      find: find.schemaNode(
        ({ schema: node }, { strict }) => strict && hasType(node, "object") && node["additionalProperties"] !== false,
      ),
      says: `${NOT_STRICT}In context={context}, 'additionalProperties' is required to be supplied and to be false.`,
      code,
      source: "lastmile-ai/openai-agents-mcp#2",
      date: "2025-03",
      certainty: "reported",
      example: tools({ strict: true }),
    },
    {
      id: `${vendor}/strict-required`,
      refuses: "a property that is not required, in a strict tool",
      find: find.schemaNode(({ schema: node }, { strict }) => {
        const required = Array.isArray(node["required"]) ? node["required"] : [];
        return strict && Object.keys(fieldsOf(node["properties"])).some((name) => !required.includes(name));
      }),
      says: `${NOT_STRICT}In context={context}, 'required' is required to be supplied and to be an array including every key in properties.`,
      code,
      source: "kevinwatt/mysql-mcp#5",
      date: "2025-05",
      certainty: "reported",
      example: tools({
        strict: true,
        parameters: { type: "object", properties: { a: { type: "string" } }, additionalProperties: false },
      }),
    },
    {
      id: `${vendor}/strict-all-of`,
      refuses: "`allOf` within the schema of a strict tool",
      find: find.schemaNode(({ schema: node }, { strict }) => strict && Object.hasOwn(node, "allOf")),
      says: `${NOT_STRICT}In context={context}, 'allOf' is not permitted.`,
      code,
      source: "makenotion/notion-mcp-server#102",
      date: "2025-08",
      certainty: "reported",
      example: tools({
        strict: true,
        parameters: {
          type: "object",
          properties: { a: { allOf: [{ type: "string" }] } },
          required: ["a"],
          additionalProperties: false,
        },
      }),
    },
    {
      id: `${vendor}/empty-tools`,
      refuses: "an empty list of tools",
      find: find.field("tools", (value) => Array.isArray(value) && value.length === 0),
      says: "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      code: "empty_array",
      source: "continuedev/continue#3370",
      date: "2024-12",
      certainty: isChat ? "reported" : "supposed",
      example: { tools: [] },
    },
    {
      id: `${vendor}/tool-choice`,
      refuses: isChat
        ? "a choice of tools without tools"
        : "a choice of tools other than `auto` and `none` without tools",
      find: find.field(
        "tool_choice",
        (value, { body }) => listOf(body["tools"]).length === 0 && (isChat || (value !== "auto" && value !== "none")),
      ),
      says: "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
      source: "vllm-project/vllm#40311",
      date: "2026-04",
      certainty: isChat ? "reported" : "supposed",
      example: { tools: [], tool_choice: isChat ? "auto" : "required" },
    },
  ];
}
