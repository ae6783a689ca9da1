/** What DeepSeek and Groq refuse, and servers that refuse little. */
import * as find from "../../find.js";
import { fieldsOf, listOf, type RequestView } from "../../request-view.js";
import type { Finding, Rule } from "../../rule.js";
import { PNG, png } from "../../samples.js";
import { hasType } from "../../schema-walk.js";
import { CHAT_FORM } from "../openai/form.js";
import { ask, commonRules, foreignReasoning, nameRules, schema } from "./common.js";

export const DEEPSEEK_RULES: readonly Rule[] = [
  ...commonRules("deepseek", { "half-pair": ["esengine/DeepSeek-Reasonix#1906", "2026-05"] }),
  ...nameRules("deepseek", "nikkigallery/Whimbox#61", "2026-05"),
  {
    id: "deepseek/empty-tools",
    refuses: "an empty list of tools",
    find: find.field("tools", (value) => Array.isArray(value) && value.length === 0),
    says: "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    source: "marimo-team/marimo#6108",
    date: "2025-08",
    certainty: "reported",
    example: { tools: [] },
  },
  {
    id: "deepseek/schema-type",
    refuses: "a tool's schema that is no object at the top",
    find: find.schema(find.notAnObject),
    says: "Invalid schema for function '{name}': schema must be a JSON Schema of 'type: \"object\"', got 'type: {type}'.",
    source: "farion1231/cc-switch#5490",
    date: "2026-07",
    certainty: "reported",
    example: schema({ properties: {} }),
  },
  {
    id: "deepseek/picture",
    refuses: "a picture",
    find: find.pictures(() => ({})),
    says: "Failed to deserialize the JSON body into the target type: messages[0]: unknown variant `image_url`, expected `text` at line 1 column 1",
    source: "api-docs.deepseek.com/api/create-chat-completion",
    date: "2026-11",
    certainty: "documented",
    example: CHAT_FORM.say(CHAT_FORM.picture(`data:image/png;base64,${PNG}`)),
  },
  {
    id: "deepseek/reasoning-missing",
    refuses: "a message with calls and without its reasoning, while the model thinks",
    find: missingReasoning,
    says: "The `reasoning_content` in the thinking mode must be passed back to the API.",
    source: "mnfst/modelparams.dev#29",
    date: "2026-05",
    certainty: "reported",
    example: { thinking: { type: "enabled" }, ...CHAT_FORM.called([{}], ["a1"]) },
  },
];

const GROQ =
  "'{at}' : for 'role:assistant' the following must be satisfied[('{at}' : property '{name}' is unsupported)]";

const GROQ_TIERS: ReadonlySet<unknown> = new Set([undefined, "auto", "on_demand", "flex", "performance"]);

export const GROQ_RULES: readonly Rule[] = [
  ...commonRules("groq"),
  ...nameRules("groq", "langgenius/dify#22867", "2025-07"),
  {
    id: "groq/reasoning",
    refuses: "reasoning of `reasoning_content` in a message of the assistant",
    find: foreignReasoning,
    says: GROQ,
    source: "janhq/jan#8136",
    date: "2026-05",
    certainty: "reported",
    example: { messages: [ask, { role: "assistant", content: "x", reasoning_content: "y" }, ask] },
  },
  {
    id: "groq/service-tier",
    refuses: "a tier that it does not have, such as OpenAI's `default`",
    find: find.field("service_tier", (value) => !GROQ_TIERS.has(value)),
    says: "'service_tier' : value must be one of ['auto', 'on_demand', 'flex', 'performance']",
    source: "console.groq.com/docs/service-tiers",
    date: "2026-11",
    certainty: "documented",
    example: { service_tier: "default" },
  },
  {
    id: "groq/tool-count",
    refuses: "more than 128 tools",
    find: find.tooManyTools(128),
    says: "'tools' : maximum number of items is 128",
    source: "HunorLaczko/ha-groq-cloud-api#25",
    date: "2026-04",
    certainty: "reported",
    example: CHAT_FORM.tools(...Array.from({ length: 129 }, (_, index) => ({ name: `t${index}` }))),
  },
  {
    id: "groq/picture-count",
    refuses: "more than 5 pictures",
    find: find.pictureCount(5),
    says: "Too many images provided. This model supports up to 5 images",
    source: "console.groq.com/docs/vision",
    date: "2026-11",
    certainty: "reported",
    example: CHAT_FORM.say(...Array.from({ length: 6 }, () => CHAT_FORM.picture(`data:image/png;base64,${PNG}`))),
  },
  {
    id: "groq/picture-pixels",
    refuses: "a picture of more than 33 megapixels",
    find: find.pictures((_part, { width, height }) => (width * height > 33_177_600 ? { width, height } : undefined)),
    says: "Image resolution exceeds the maximum of 33177600 pixels",
    source: "console.groq.com/docs/vision",
    date: "2026-11",
    certainty: "reported",
    example: CHAT_FORM.say(CHAT_FORM.picture(`data:image/png;base64,${png(6000, 6000)}`)),
  },
  {
    id: "groq/inline-bytes",
    refuses: "pictures of more than 4 MB in base64 in a request",
    find: find.totalLength(4 * 1024 * 1024),
    says: "Request Entity Too Large",
    status: 413,
    source: "console.groq.com/docs/vision",
    date: "2026-11",
    certainty: "reported",
    example: CHAT_FORM.say(CHAT_FORM.picture(`data:image/png;base64,${png(1, 1, 4_000_000)}`)),
  },
  {
    id: "groq/schema-required",
    refuses: "`required` in a schema without `properties`",
    find: find.schemaNode(
      ({ schema: node }) =>
        node["required"] !== undefined && node["properties"] === undefined && hasType(node, "object"),
    ),
    says: "invalid JSON schema for tool {name}, tools[0].function.parameters: 'required' present but 'properties' is missing",
    source: "usestrix/strix#1088",
    date: "2026-08",
    certainty: "reported",
    example: schema({ type: "object", required: [] }),
  },
  {
    id: "groq/schema",
    refuses: "a tool's schema that JSON Schema does not allow",
    find: find.malformedSchema,
    says: "invalid JSON schema for tool {name}, tools[0].function.parameters: {keyword}",
    source: "console.groq.com/docs/tool-use",
    date: "2026-11",
    certainty: "supposed",
    example: schema({ type: "object", required: null }),
  },
];

/** A server that checks nothing but what it cannot read. */
export const LENIENT_RULES: readonly Rule[] = [
  ...commonRules("lenient"),
  {
    id: "lenient/picture-role",
    refuses: "a request without a message of the user",
    find: ({ turns }) => (turns.some(({ role }) => role === "user") ? undefined : { at: "messages" }),
    says: "No user query found in messages.",
    source: "QwenLM/Qwen3, chat template",
    date: "2026-11",
    certainty: "supposed",
    example: { messages: [{ role: "system", content: "x" }] },
  },
];

function missingReasoning({ body }: RequestView): Finding | undefined {
  const off = fieldsOf(body["thinking"])["type"] === "disabled" || body["reasoning_effort"] === "none";
  if (off) return undefined;
  const turn = listOf(body["messages"]).findIndex(
    ({ role, tool_calls: calls, reasoning_content: text }) =>
      role === "assistant" && listOf(calls).length > 0 && text === undefined,
  );
  return turn < 0 ? undefined : { at: `messages[${turn}]` };
}
