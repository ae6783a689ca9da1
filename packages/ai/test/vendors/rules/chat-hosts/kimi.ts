/** What Kimi refuses, at the host of Moonshot and at Kimi Code. */
import * as find from "../../find.js";
import { fieldsOf, listOf } from "../../request-view.js";
import type { Rule } from "../../rule.js";
import { bmp } from "../../samples.js";
import { schemaNodes } from "../../schema-walk.js";
import { CHAT_FORM } from "../openai/form.js";
import { ask, commonRules, schema } from "./common.js";

const FLAVOUR = "tools.function.parameters is not a valid moonshot flavored json schema, details: <At path '{path}': ";

export const KIMI_RULES: readonly Rule[] = [
  ...commonRules("kimi"),
  {
    id: "kimi/tool-name",
    refuses:
      "a tool whose name does not begin with a letter, or has other characters than letters, digits, `_` and `-`",
    find: find.toolName(/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/),
    says: "Invalid request: function name is invalid, must start with a letter and can contain letters, numbers, underscores, and dashes",
    source: "MoonshotAI/kimi-cli#2531",
    date: "2026-07",
    certainty: "reported",
    example: CHAT_FORM.tools({ name: "21st_magic" }),
  },
  {
    id: "kimi/call-name",
    refuses: "a call in the history whose name breaks the rule of a tool's name",
    find: find.callName(/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/),
    says: "Invalid request: function name is invalid, must start with a letter and can contain letters, numbers, underscores, and dashes",
    source: "MoonshotAI/kimi-cli#2531",
    date: "2026-07",
    certainty: "supposed",
    example: CHAT_FORM.called([{ name: "$lookup" }], ["a1"]),
  },
  {
    id: "kimi/schema-type",
    refuses: "a tool's schema that is no object at the top",
    find: find.schema(find.notAnObject),
    says: 'tools.function.parameters.type is required and must be "object"',
    source: "14790897/MiqroForge-Desktop#1165",
    date: "2026-09",
    certainty: "reported",
    example: schema({ properties: {} }),
  },
  {
    id: "kimi/schema-keyword",
    refuses: "a keyword with a value that JSON Schema does not allow",
    find: find.malformedSchema,
    says: "tools.function.parameters is not a valid moonshot flavored json schema, details: <invalid {keyword}>",
    source: "MoonshotAI/kimi-cli#1595",
    date: "2026-03",
    certainty: "reported",
    example: schema({ type: "object", properties: {}, required: true }),
  },
  {
    id: "kimi/any-of-type",
    refuses: "a `type` beside `anyOf`",
    find: find.schemaNode(({ schema: node }) => node["anyOf"] !== undefined && node["type"] !== undefined),
    says: `${FLAVOUR}when using anyOf, type should be defined in anyOf items instead of the parent schema>`,
    source: "openJiuwen-ai/jiuwenswarm#3942",
    date: "2026-08",
    certainty: "reported",
    example: schema({ type: "object", properties: { a: { type: "string", anyOf: [{ type: "string" }] } } }),
  },
  {
    id: "kimi/ref-type",
    refuses: "a `type` beside `$ref`",
    find: find.schemaNode(({ schema: node }) => node["$ref"] !== undefined && node["type"] !== undefined),
    says: `${FLAVOUR}when using $ref, type should be defined in the referenced schema instead of the parent schema>`,
    source: "router-for-me/CLIProxyAPI#5316",
    date: "2026-08",
    certainty: "reported",
    example: schema({
      type: "object",
      properties: { a: { type: "string", $ref: "#/$defs/b" } },
      $defs: { b: { type: "string" } },
    }),
  },
  {
    id: "kimi/ref-sibling",
    refuses: "a keyword beside `$ref` that the referenced schema has too",
    find: find.schema((tool) => {
      const top = fieldsOf(tool.schema);
      const node = schemaNodes(tool.schema).find(({ schema: { $ref, ...others } }) => {
        const [, group = "", name = ""] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String($ref)) ?? [];
        const target = fieldsOf(fieldsOf(top[group])[name]);
        return $ref !== undefined && Object.keys(others).some((key) => Object.hasOwn(target, key));
      });
      return node && { path: node.path.join(".") };
    }),
    says: `${FLAVOUR}conflicting keywords found after $ref expansion: description>`,
    source: "MoonshotAI/kimi-cli#2061",
    date: "2026-04",
    certainty: "reported",
    example: schema({
      type: "object",
      properties: { a: { $ref: "#/$defs/b", description: "x" } },
      $defs: { b: { type: "string", description: "y" } },
    }),
  },
  {
    id: "kimi/ref-place",
    refuses: "a `$ref` that does not begin with `#/$defs/`",
    find: find.schemaNode(
      ({ schema: { $ref } }) => typeof $ref === "string" && $ref !== "#" && !$ref.startsWith("#/$defs/"),
    ),
    says: `${FLAVOUR}references must start with #/$defs/>`,
    source: "CommandCodeAI/command-code#594",
    date: "2026-07",
    certainty: "reported",
    example: schema({ type: "object", properties: { a: { $ref: "#/properties/b" }, b: { type: "string" } } }),
  },
  {
    id: "kimi/no-type",
    refuses: "a schema without `type`, `anyOf` or `$ref`, at any depth",
    find: find.schemaNode(({ schema: node, path }) => {
      const last = path.at(-1) ?? "";
      const within = path.length > 0 && !["not", "if", "then", "else", "propertyNames", "contains"].includes(last);
      return within && ["type", "anyOf", "$ref"].every((key) => node[key] === undefined);
    }),
    says: `${FLAVOUR}type is not defined>`,
    source: "earendil-works/pi#4138",
    date: "2026-05",
    certainty: "reported",
    example: schema({ type: "object", properties: { a: { description: "x" } } }),
  },
  {
    id: "kimi/empty-assistant",
    refuses: "a message of the assistant with neither content nor calls",
    find: find.emptyTurn("assistant"),
    says: "Invalid request: the message at position 1 with role 'assistant' must not be empty",
    source: "labring/FastGPT#3575",
    date: "2025-01",
    certainty: "reported",
    example: { messages: [ask, { role: "assistant", content: "" }, ask] },
  },
  {
    id: "kimi/reasoning-missing",
    refuses: "a message with calls and without its reasoning, while the model thinks",
    find: ({ body, model }) => {
      if (
        fieldsOf(body["thinking"])["type"] === "disabled" ||
        !/kimi-k(2\.[5-9]|2p[5-9]|[3-9])|thinking|^k3|coding/.test(model)
      )
        return undefined;
      const turn = listOf(body["messages"]).findIndex(
        ({ role, tool_calls: calls, reasoning_content: text }) =>
          role === "assistant" && listOf(calls).length > 0 && text === undefined,
      );
      return turn < 0 ? undefined : { at: `messages[${turn}]`, turn };
    },
    says: "thinking is enabled but reasoning_content is missing in assistant tool call message at index {turn}",
    source: "continuedev/continue#11600",
    date: "2026-03",
    certainty: "reported",
    example: { model: "kimi-k2.5", ...CHAT_FORM.called([{}], ["a1"]) },
  },
  {
    id: "kimi/temperature",
    refuses: "a temperature other than 1",
    find: find.field(
      "temperature",
      (value, { model }) => value !== 1 && value !== 0.6 && /kimi-k(2\.[5-9]|[3-9])/.test(model),
    ),
    says: "invalid temperature: only 1 is allowed for this model",
    source: "opencyvis/opencyvis-phone#12",
    date: "2026-06",
    certainty: "reported",
    example: { model: "kimi-k2.6", temperature: 0.2 },
  },
  {
    id: "kimi/top-p",
    refuses: "`top_p`, which is fixed",
    find: find.field("top_p", (value, { model }) => value !== 0.95 && /kimi-k(2\.[5-9]|[3-9])/.test(model)),
    says: "invalid top_p: only 0.95 is allowed for this model",
    source: "enricoros/big-AGI#1161",
    date: "2026-07",
    certainty: "reported",
    example: { model: "kimi-k3", top_p: 0.5 },
  },
  {
    id: "kimi/forced-call",
    refuses: "a forced call while a model before K3 thinks",
    find: find.field("tool_choice", (value, { body, model }) => {
      const thinks = fieldsOf(body["thinking"])["type"] !== "disabled" && /kimi-k2\.[5-9]/.test(model);
      return thinks && (value === "required" || typeof value === "object");
    }),
    says: "tool_choice 'required' is incompatible with thinking enabled",
    source: "simstudioai/sim#5716",
    date: "2026-07",
    certainty: "reported",
    example: { model: "kimi-k2.6", ...CHAT_FORM.tools({}), tool_choice: "required" },
  },
  {
    id: "kimi/forced-name",
    refuses: "a forced call of a named tool from K3 on, which always thinks",
    find: find.field("tool_choice", (value, { model }) => typeof value === "object" && /^(kimi-)?k[3-9]/.test(model)),
    says: "tool_choice 'specified' is incompatible with thinking enabled",
    source: "UKGovernmentBEIS/inspect_ai#5152",
    date: "2026-08",
    certainty: "reported",
    example: {
      model: "kimi-k3",
      ...CHAT_FORM.tools({}),
      tool_choice: { type: "function", function: { name: "read" } },
    },
  },
  {
    id: "kimi/picture-format",
    refuses: "a picture that is no PNG, JPEG, WebP or GIF by its bytes",
    find: find.pictureFormat("png", "jpeg", "webp", "gif"),
    says: "Invalid request: unsupported image format",
    source: "platform.moonshot.ai/docs/guide/use-kimi-vision-model",
    date: "2026-11",
    certainty: "documented",
    example: CHAT_FORM.say(CHAT_FORM.picture(`data:image/bmp;base64,${bmp()}`)),
  },
];
