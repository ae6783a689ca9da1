/** What Cerebras refuses. */
import * as find from "../../find.js";
import type { Rule } from "../../rule.js";
import { PNG } from "../../samples.js";
import { CHAT_FORM } from "../openai/form.js";
import { ask, callsWithoutContent, commonRules, foreignReasoning, nameRules } from "./common.js";

const LIMITS = [
  "minItems",
  "maxItems",
  "minLength",
  "maxLength",
  "pattern",
  "format",
  "minProperties",
  "maxProperties",
];

export const CEREBRAS_RULES: readonly Rule[] = [
  ...commonRules("cerebras"),
  ...nameRules("cerebras", "langgenius/dify#22867", "2025-07").map(
    (rule): Rule => ({ ...rule, certainty: "supposed" }),
  ),
  {
    id: "cerebras/reasoning",
    refuses: "reasoning of `reasoning_content` in a message of the assistant",
    find: foreignReasoning,
    says: "{at}.assistant.reasoning_content: property '{at}.assistant.reasoning_content' is unsupported",
    code: "wrong_api_format",
    source: "Alishahryar1/free-claude-code#1136",
    date: "2026-07",
    certainty: "reported",
    example: { messages: [ask, { role: "assistant", content: "x", reasoning_content: "y" }, ask] },
  },
  {
    id: "cerebras/silent-assistant",
    refuses: "a message with calls whose content is `null`",
    find: callsWithoutContent,
    says: "'NoneType' object is not iterable",
    code: "wrong_api_format",
    source: "livekit/agents#2403",
    date: "2025-05",
    certainty: "reported",
    example: CHAT_FORM.called([{}], ["a1"]),
  },
  {
    id: "cerebras/strict-together",
    refuses: "strict tools beside tools that are not strict",
    find: ({ tools }) => {
      const strict = tools.filter((tool) => tool.strict).length;
      return strict === 0 || strict === tools.length ? undefined : { at: "tools" };
    },
    says: "Tools with mixed values for 'strict' are not allowed. Please set all tools to 'strict: true' or 'strict: false'",
    code: "wrong_api_format",
    status: 422,
    source: "RooCodeInc/Roo-Code#10334",
    date: "2025-12",
    certainty: "reported",
    example: CHAT_FORM.tools({ strict: true }, { name: "write" }),
  },
  {
    id: "cerebras/strict-limits",
    refuses: "a limit of a text or a list in the schema of a strict tool",
    find: find.schemaNode(({ schema }, tool) => tool.strict && LIMITS.some((keyword) => keyword in schema)),
    says: "Unsupported JSON schema fields: {'minItems'}",
    code: "wrong_api_format",
    source: "elizaOS/eliza#11156",
    date: "2026-07",
    certainty: "reported",
    example: CHAT_FORM.tools({
      strict: true,
      parameters: { type: "object", properties: { a: { type: "string", minLength: 1 } } },
    }),
  },
  {
    id: "cerebras/penalty",
    refuses: "a penalty",
    find: (request) => find.field("presence_penalty")(request) ?? find.field("frequency_penalty")(request),
    says: "{at} is not supported",
    source: "hexdocs.pm/req_llm/cerebras.html",
    date: "2026-11",
    certainty: "supposed",
    example: { presence_penalty: 0 },
  },
  {
    id: "cerebras/picture",
    refuses: "a picture for a model that takes none",
    find: (request) => (/gpt-oss|glm/.test(request.model) ? find.pictures(() => ({}))(request) : undefined),
    says: "Content type 'image_url' is not supported by this model",
    source: "inference-docs.cerebras.ai/capabilities/tool-use.md",
    date: "2026-11",
    certainty: "supposed",
    example: { model: "gpt-oss-120b", ...CHAT_FORM.say(CHAT_FORM.picture(`data:image/png;base64,${PNG}`)) },
  },
];
