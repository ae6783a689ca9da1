/** What Z.ai and BigModel refuse of the GLM models. */
import * as find from "../../find.js";
import type { Rule } from "../../rule.js";
import { PNG } from "../../samples.js";
import { CHAT_FORM } from "../openai/form.js";
import { ask, callsWithoutContent, commonRules, otherChoice, thinkingIs } from "./common.js";

const ILLEGAL = "The messages parameter is illegal. Please check the documentation.";
const INVALID = "Invalid API parameter, please check the documentation.";

export const ZAI_RULES: readonly Rule[] = [
  ...commonRules("zai", { "no-messages": ["anomalyco/opencode#2557", "2025-09"] }).map(
    (rule): Rule =>
      rule.id === "zai/no-messages" ? { ...rule, says: ILLEGAL, code: "1214", certainty: "reported" } : rule,
  ),
  {
    id: "zai/no-user",
    refuses: "a request without a message of the user",
    find: ({ turns }) => (turns.some(({ role }) => role === "user") ? undefined : { at: "messages" }),
    says: ILLEGAL,
    code: "1214",
    source: "anomalyco/opencode#2557",
    date: "2025-09",
    certainty: "reported",
    example: { messages: [{ role: "system", content: "x" }] },
  },
  {
    id: "zai/tool-choice",
    refuses: "a choice of tools other than `auto`",
    find: otherChoice("auto"),
    says: "Tool choice must be auto",
    code: "1210",
    source: "vectorize-io/hindsight#4246",
    date: "2026-09",
    certainty: "reported",
    example: { ...CHAT_FORM.tools({}), tool_choice: "required" },
  },
  {
    id: "zai/picture",
    refuses: "a picture for a model that takes none",
    find: (request) =>
      /glm-(4\.[5-7]|5(\.[0-2])?)(?![\d.v])(?!.*flash)/.test(request.model)
        ? find.pictures(() => ({}))(request)
        : undefined,
    says: INVALID,
    code: "1210",
    source: "dyad-sh/dyad#1353",
    date: "2025-09",
    certainty: "reported",
    example: { model: "glm-4.5", ...CHAT_FORM.say(CHAT_FORM.picture(`data:image/png;base64,${PNG}`)) },
  },
  {
    id: "zai/thinking-off",
    refuses: "thinking that is switched off, from GLM 5.3 on",
    find: (request) =>
      /glm-5\.[3-9]/.test(request.model) && thinkingIs("disabled")(request) ? { at: "thinking" } : undefined,
    says: INVALID,
    code: "1210",
    source: "NousResearch/hermes-agent#85890",
    date: "2026-09",
    certainty: "reported",
    example: { model: "glm-5.3", thinking: { type: "disabled" } },
  },
  {
    // One-api of that time may have left out the calls.
    id: "zai/silent-assistant",
    refuses: "a message with calls whose content is `null`",
    find: callsWithoutContent,
    says: ILLEGAL,
    code: "1214",
    source: "lifemate-ai/familiar-ai#53",
    date: "2026-03",
    certainty: "supposed",
    example: CHAT_FORM.called([{}], ["a1"]),
  },
  {
    id: "zai/temperature",
    refuses: "a temperature above 1",
    find: find.field("temperature", (value) => Number(value) > 1),
    says: INVALID,
    code: "1210",
    source: "mnfst/modelparams.dev#23",
    date: "2026-05",
    certainty: "supposed",
    example: { messages: [ask], temperature: 1.5 },
  },
];
