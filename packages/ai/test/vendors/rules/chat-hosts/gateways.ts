/** What hosts of many vendors' models refuse: Together, Fireworks and OpenRouter. */
import * as find from "../../find.js";
import type { Rule } from "../../rule.js";
import { OPENAI_CHAT_RULES } from "../openai/chat.js";
import { CHAT_FORM } from "../openai/form.js";
import { commonRules, otherChoice, schema } from "./common.js";
import { KIMI_RULES } from "./kimi.js";
import { ZAI_RULES } from "./zai.js";

export const TOGETHER_RULES: readonly Rule[] = [
  ...commonRules("together"),
  {
    // One request that has stood open since; others send `required`.
    id: "together/tool-choice",
    refuses: "`required` as the choice of tools",
    find: find.field("tool_choice", (value) => value === "required"),
    says: "Input validation error",
    source: "tensorzero/tensorzero#2952",
    date: "2025-07",
    certainty: "supposed",
    example: { ...CHAT_FORM.tools({}), tool_choice: "required" },
  },
];

/** Keywords that tell what a schema stands for. */
const TELLING = ["type", "anyOf", "oneOf", "allOf", "$ref", "enum", "const", "properties"];
const INSTANCE = "JSON Schema not supported: could not understand the instance `{path}`.";

/** On both of its wire formats. */
export function fireworksSchemaRules(vendor: string, schemaOf: (parameters: object) => Rule["example"]): Rule[] {
  return [
    {
      id: `${vendor}/no-type`,
      refuses: "a schema that only says what is required, or nothing",
      find: find.schemaNode(({ schema: node, path }) => path.length > 0 && !TELLING.some((name) => name in node)),
      says: INSTANCE,
      source: "earendil-works/pi#5352",
      date: "2026-06",
      certainty: "reported",
      example: schemaOf({
        type: "object",
        properties: { a: { anyOf: [{ required: ["b"] }, { type: "string" }] } },
      }),
    },
  ];
}

export const FIREWORKS_CHAT_RULES: readonly Rule[] = [
  ...commonRules("fireworks-chat"),
  ...fireworksSchemaRules("fireworks-chat", schema),
];

/** What a gateway reads itself (files), or picks another host by (options). */
const NOT_PASSED_ON = /\/(file-|temperature|top-p|forced-)/;

/** The rules of the vendor that a gateway passes requests for these models on to. */
function passedOn(models: RegExp, vendor: string, all: readonly Rule[]): Rule[] {
  const rules = all.filter(({ id }) => !NOT_PASSED_ON.test(id));
  return rules.map((rule) => ({
    ...rule,
    id: `openrouter/${vendor}/${rule.id.slice(rule.id.indexOf("/") + 1)}`,
    find: (request) =>
      models.test(request.model) ? rule.find({ ...request, model: request.model.replace(/^.*\//, "") }) : undefined,
    example: {
      ...rule.example,
      model: `${models.source.slice(1).replace("\\/", "/")}${String(rule.example["model"] ?? "any")}`,
    },
  }));
}

export const OPENROUTER_RULES: readonly Rule[] = [
  ...commonRules("openrouter"),
  ...passedOn(/^openai\//, "openai", OPENAI_CHAT_RULES),
  ...passedOn(/^moonshotai\//, "kimi", KIMI_RULES),
  ...passedOn(/^z-ai\//, "zai", ZAI_RULES),
  {
    id: "openrouter/tool-choice",
    refuses: "a choice that no host of the model takes",
    find: (request) => (/^aion-labs\//.test(request.model) ? otherChoice("auto", "none")(request) : undefined),
    says: "No endpoints found that support the provided 'tool_choice' value.",
    status: 404,
    source: "zed-industries/zed#36094",
    date: "2025-08",
    certainty: "supposed",
    example: { model: "aion-labs/aion-2.0", ...CHAT_FORM.tools({}), tool_choice: "required" },
  },
];
