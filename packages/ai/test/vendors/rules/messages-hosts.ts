/** What hosts of other models than Claude refuse on the Messages API: MiniMax and Fireworks. */
import * as find from "../find.js";
import { fieldsOf, type RequestView } from "../request-view.js";
import type { Finding, Rule } from "../rule.js";
import { PNG } from "../samples.js";
import { ask, call, called, image, result, say, tool } from "./anthropic/form.js";
import { fireworksSchemaRules } from "./chat-hosts/gateways.js";

const PAGE = "platform.minimax.io/docs/api-reference/text-anthropic-api.md";

/** Calls and results that are not in pairs, and halves of characters. */
function pairRules(vendor: string): Rule[] {
  return [
    {
      id: `${vendor}/half-pair`,
      refuses: "half of a surrogate pair anywhere in the body",
      find: find.halfPair,
      says: "invalid params, invalid JSON (2013)",
      source: "elizaOS/eliza#18079",
      date: "2026-08",
      certainty: "supposed",
      example: say({ type: "text", text: "a\ud83d" }),
    },
    {
      id: `${vendor}/orphan-result`,
      refuses: "a result whose call is not in the turn before it",
      find: find.orphanResult("before"),
      says: "invalid params, tool result's tool id({id}) not found (2013)",
      source: "MiniMax-AI/MiniMax-M2#76",
      date: "2026-02",
      certainty: "reported",
      example: called([call()], [result(), result({ tool_use_id: "b2" })]),
    },
    {
      id: `${vendor}/unanswered-call`,
      refuses: "a call without its result in the next turn",
      find: find.unansweredCall("next"),
      says: "invalid params, tool call result does not follow tool call (2013)",
      source: "earendil-works/pi#5468",
      date: "2026-06",
      certainty: "supposed",
      example: { messages: [ask, { role: "assistant", content: [call()] }, ask] },
    },
  ];
}

export const MINIMAX_RULES: readonly Rule[] = [
  ...pairRules("minimax"),
  {
    id: "minimax/schema-type",
    refuses: "a tool without parameters",
    find: find.schema(({ schema }) => (Object.keys(fieldsOf(schema)).length === 0 ? {} : undefined)),
    says: "invalid params, function parameters is empty (2013)",
    source: "QwenLM/qwen-code#11834",
    date: "2026-09",
    certainty: "reported",
    example: tool({ input_schema: {} }),
  },
  {
    id: "minimax/call-input",
    refuses: "a call whose arguments are no object",
    find: find.inputNotAnObject,
    says: "invalid params, invalid function arguments json string, tool_call_id: {id} (2013)",
    source: "earendil-works/pi#5468",
    date: "2026-06",
    certainty: "reported",
    example: called([call({ input: "{" })], [result()]),
  },
  {
    id: "minimax/role",
    refuses: "a message of the system among the others",
    find: find.otherRole("user", "assistant"),
    says: "invalid params, chat content has invalid message role: {role} (2013)",
    source: "BigPizzaV3/CodexPlusPlus#267",
    date: "2026-05",
    certainty: "reported",
    example: { messages: [ask, { role: "system", content: "x" }] },
  },
  {
    id: "minimax/thinking-manual",
    refuses: "a thinking budget, from M3 on",
    find: otherThinking,
    says: 'invalid params, invalid thinking.type: "enabled" (allowed: adaptive, disabled) (2013)',
    source: "chaitin/MonkeyCode#1175",
    date: "2026-08",
    certainty: "reported",
    example: { model: "MiniMax-M3", thinking: { type: "enabled", budget_tokens: 1024 } },
  },
  {
    id: "minimax/picture",
    refuses: "a picture or a document for M2",
    find: (request) =>
      /M2/.test(request.model)
        ? (find.pictures(() => ({}))(request) ??
          find.files(({ data }) => (data === undefined ? undefined : {}))(request))
        : undefined,
    says: "invalid params, unsupported content (2013)",
    source: PAGE,
    date: "2026-11",
    certainty: "documented",
    example: { model: "MiniMax-M2.7", ...say(image("image/png", PNG)) },
  },
  {
    id: "minimax/temperature",
    refuses: "a temperature of 0, or above 1",
    find: find.field("temperature", (value) => Number(value) <= 0 || Number(value) > 1),
    says: "invalid params, temperature (2013)",
    source: PAGE,
    date: "2026-11",
    certainty: "supposed",
    example: { temperature: 0 },
  },
];

export const FIREWORKS_RULES: readonly Rule[] = [
  ...pairRules("fireworks").map((rule): Rule => ({ ...rule, certainty: "supposed" })),
  ...fireworksSchemaRules("fireworks", (parameters) => tool({ input_schema: parameters }) as Rule["example"]),
];

function otherThinking({ body, model }: RequestView): Finding | undefined {
  return /M[3-9]/.test(model) && fieldsOf(body["thinking"])["type"] === "enabled" ? { at: "thinking.type" } : undefined;
}
