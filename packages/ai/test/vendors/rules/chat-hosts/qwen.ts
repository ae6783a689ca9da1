/** What Alibaba's Model Studio (DashScope) refuses, of Qwen and of the other models that it serves. */
import * as find from "../../find.js";
import type { Rule } from "../../rule.js";
import { gif, png } from "../../samples.js";
import { CHAT_FORM } from "../openai/form.js";
import { commonRules, otherChoice, schema } from "./common.js";

const INVALID = "<400> InternalError.Algo.InvalidParameter: ";

export const QWEN_RULES: readonly Rule[] = [
  ...commonRules("qwen", {
    "unanswered-call": ["QwenLM/qwen-code#869", "2025-10"],
    "orphan-result": ["QwenLM/qwen-code#2360", "2026-03"],
  }).map((rule): Rule => ({ ...rule, says: `${INVALID}${rule.says}`, code: "invalid_parameter_error" })),
  {
    id: "qwen/no-user",
    refuses: "a request without a message of the user",
    find: ({ turns }) => (turns.some(({ role }) => role === "user") ? undefined : { at: "messages" }),
    says: `${INVALID}The input messages do not contain elements with the role of user`,
    code: "invalid_parameter_error",
    source: "agentscope-ai/agentscope-java#613",
    date: "2026-01",
    certainty: "reported",
    example: { messages: [{ role: "system", content: "x" }] },
  },
  {
    id: "qwen/small-picture",
    refuses: "a picture with an edge of at most 10 pixels",
    find: find.pictures((_part, { width, height }) =>
      width > 0 && Math.min(width, height) <= 10 ? { width, height } : undefined,
    ),
    says: `${INVALID}The image length and width do not meet the model restrictions. [height:{height} or width:{width} must be larger than 10]`,
    code: "invalid_parameter_error",
    source: "QwenLM/qwen-code#2505",
    date: "2026-03",
    certainty: "reported",
    example: CHAT_FORM.say(CHAT_FORM.picture(`data:image/png;base64,${png(1, 1)}`)),
  },
  {
    id: "qwen/forced-call",
    refuses: "a forced call while the model thinks",
    find: (request) => (request.body["enable_thinking"] === true ? otherChoice("auto", "none")(request) : undefined),
    says: `${INVALID}The tool_choice parameter does not support being set to required or object in thinking mode`,
    code: "invalid_parameter_error",
    source: "cloudwego/eino#994",
    date: "2026-04",
    certainty: "reported",
    example: { ...CHAT_FORM.tools({}), tool_choice: "required", enable_thinking: true },
  },
  {
    id: "qwen/thinking-off",
    refuses: "thinking that is switched off, of Qwen 3.8 Max",
    find: ({ body, model }) =>
      /qwen3\.8-max/.test(model) && body["enable_thinking"] === false ? { at: "enable_thinking" } : undefined,
    says: `${INVALID}The value of the enable_thinking parameter is restricted to True.`,
    code: "invalid_parameter_error",
    source: "lobehub/lobehub#17363",
    date: "2026-07",
    certainty: "reported",
    example: { model: "qwen3.8-max", enable_thinking: false },
  },
  {
    id: "qwen/unique-items",
    refuses: "`uniqueItems` in a tool's schema, of Kimi (the thread is on K3)",
    find: (request) =>
      /kimi-k/.test(request.model)
        ? find.schemaNode(({ schema: node }) => node["uniqueItems"] !== undefined)(request)
        : undefined,
    says: "InternalError.Algo: An error occurred in model serving, error message is: [Invalid request parameters.]",
    source: "QwenLM/qwen-code#9865",
    date: "2026-08",
    certainty: "reported",
    example: {
      model: "kimi-k3",
      ...schema({
        type: "object",
        properties: { a: { type: "array", items: { type: "string" }, uniqueItems: true } },
      }),
    },
  },
  {
    id: "qwen/picture-format",
    refuses: "a GIF",
    find: find.pictures((_part, { format }) => (format === "gif" ? {} : undefined)),
    says: `${INVALID}The image format is illegal and cannot be opened.`,
    source: "alibabacloud.com/help/en/model-studio/vision",
    date: "2026-01",
    certainty: "supposed",
    example: CHAT_FORM.say(CHAT_FORM.picture(`data:image/gif;base64,${gif(40, 40)}`)),
  },
];
