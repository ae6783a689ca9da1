/** What ConverseStream refuses: the service itself, and Claude behind it. */
import * as find from "../../find.js";
import { fieldsOf, listOf } from "../../request-view.js";
import type { Rule } from "../../rule.js";
import { PNG } from "../../samples.js";
import { API, ask, called, isClaude, PATTERN, picture, say, tools, WORDS } from "./form.js";

import { BEDROCK_MEDIA } from "./media.js";

export const BEDROCK_RULES: readonly Rule[] = [
  ...BEDROCK_MEDIA,
  {
    id: "bedrock/half-pair",
    refuses: "half of a surrogate pair anywhere in the body",
    find: find.halfPair,
    says: "The model returned the following errors: The request body is not valid JSON",
    source: "datatracker.ietf.org/doc/html/rfc8259#section-8.2",
    date: "2017-12",
    certainty: "supposed",
    example: say({ text: "a\ud83d" }),
  },
  {
    id: "bedrock/no-messages",
    refuses: "a request without messages",
    find: find.noTurns,
    says: "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
    source: `${API}/API_runtime_ConverseStream.html`,
    date: "2026-11",
    certainty: "supposed",
    example: { messages: [] },
  },
  {
    id: "bedrock/first-role",
    refuses: "a first message that is not the user's",
    find: find.beginsWith("assistant"),
    says: "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
    source: "langgenius/dify#12340",
    date: "2025-01",
    certainty: "reported",
    example: { messages: [{ role: "assistant", content: [{ text: "Hi" }] }, ask] },
  },
  {
    id: "bedrock/last-role",
    refuses: "an assistant message at the end, from Claude 4.6 on",
    find: (request) =>
      /(opus|sonnet|haiku)-(4-[6-9]|[5-9])|fable/.test(request.model) ? find.endsWith("assistant")(request) : undefined,
    says: "The model returned the following errors: This model does not support assistant message prefill. The conversation must end with a user message.",
    source: "cortexkit/magic-context#511",
    date: "2026-09",
    certainty: "reported",
    example: { messages: [ask, { role: "assistant", content: [{ text: "Well" }] }] },
  },
  {
    id: "bedrock/alternate",
    refuses: "two messages of one role in a row",
    find: ({ turns }) => {
      const turn = turns.findIndex(({ role }, index) => index > 0 && turns[index - 1]?.role === role);
      return turn < 0 ? undefined : { at: `messages.${turn}` };
    },
    says: "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.",
    source: "langchain-ai/langchain-aws#130",
    date: "2024-08",
    certainty: "reported",
    example: { messages: [ask, ask] },
  },
  {
    id: "bedrock/empty-message",
    refuses: "a message without content",
    find: find.emptyTurn("user", "assistant"),
    says: "The content field in the Message object at {at} is empty. Add a ContentBlock object to the content field and try again.",
    source: "earendil-works/pi#3443",
    date: "2026-04",
    certainty: "reported",
    example: say(),
  },
  {
    id: "bedrock/blank-text",
    refuses: "a text of nothing but white space in a message",
    find: find.text((part) => !part.inResult && find.isBlank(part)),
    says: "The text field in the ContentBlock object at {at} is blank. Add text to the text field, and try again.",
    source: "aws-samples/bedrock-engineer#8",
    date: "2025-02",
    certainty: "reported",
    example: say({ text: " " }),
  },
  {
    id: "bedrock/blank-system",
    refuses: "an empty system prompt",
    find: ({ body }) => (listOf(body["system"]).some(({ text }) => text === "") ? { at: "system.0" } : undefined),
    says: "The text field in the SystemContentBlock object at {at} is blank.",
    source: `${API}/API_runtime_SystemContentBlock.html`,
    date: "2026-11",
    certainty: "documented",
    example: { system: [{ text: "" }] },
  },
  {
    id: "bedrock/tool-name",
    refuses: "a tool whose name is not 1 to 64 letters, digits, `_` and `-`",
    find: find.toolName(PATTERN),
    says: WORDS,
    source: `${API}/API_runtime_ToolSpecification.html`,
    date: "2026-11",
    certainty: "documented",
    example: tools({ name: "a.b" }),
  },
  {
    id: "bedrock/same-tool-name",
    refuses: "two tools with one name",
    find: find.sameToolName,
    says: "The tool names in toolConfig must be unique: {name}",
    source: `${API}/API_runtime_ToolConfiguration.html`,
    date: "2026-11",
    certainty: "supposed",
    example: tools({}, {}),
  },
  {
    id: "bedrock/empty-description",
    refuses: "a tool with an empty description",
    find: ({ tools: all }) => {
      const found = all.find(({ description }) => description === "");
      return found && { at: `${found.at}.description` };
    },
    says: "1 validation error detected: Value '' at '{at}' failed to satisfy constraint: Member must have length greater than or equal to 1",
    source: "BerriAI/litellm#24668",
    date: "2026-03",
    certainty: "reported",
    example: tools({ description: "" }),
  },
  {
    id: "bedrock/schema-type",
    refuses: "a tool's schema that is no object at the top",
    find: find.schema(find.notAnObject),
    says: "The value at {at}.type must be one of the following: object.",
    source: "earendil-works/pi#8279",
    date: "2026-08",
    certainty: "reported",
    example: tools({ inputSchema: { json: { oneOf: [] } } }),
  },
  {
    id: "bedrock/schema-draft",
    refuses: "a tool's schema that JSON Schema 2020-12 does not allow, for Claude",
    find: (request) => (isClaude(request) ? find.malformedSchema(request) : undefined),
    says: "The model returned the following errors: tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12). Learn more about tool use at https://docs.anthropic.com/en/docs/tool-use.",
    source: "acomagu/vscode-as-mcp-server#6",
    date: "2025-05",
    certainty: "reported",
    example: tools({ inputSchema: { json: { type: "object", required: null } } }),
  },
  {
    id: "bedrock/schema-union",
    refuses: "`anyOf`, `oneOf` or `allOf` at the top of a tool's schema, for Claude",
    find: (request) => (isClaude(request) ? find.schemaTop("oneOf", "allOf", "anyOf")(request) : undefined),
    says: "The model returned the following errors: tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level",
    source: "anthropics/claude-code#5319",
    date: "2025-08",
    certainty: "reported",
    example: tools({ inputSchema: { json: { type: "object", anyOf: [{}] } } }),
  },
  {
    id: "bedrock/property-name",
    refuses:
      "a property at the top of a schema whose name is not 1 to 64 letters, digits, `_`, `.` and `-`, for Claude",
    find: (request) =>
      isClaude(request)
        ? find.schema(({ schema }) => {
            const names = Object.keys(fieldsOf(fieldsOf(schema)["properties"]));
            const name = names.find((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key));
            return name === undefined ? undefined : { name };
          })(request)
        : undefined,
    says: "tools.0.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
    source: "aws-solutions-library-samples/accelerated-intelligent-document-processing-on-aws#709",
    date: "2026-08",
    certainty: "reported",
    example: tools({ inputSchema: { json: { type: "object", properties: { "a b": {} } } } }),
  },
  {
    id: "bedrock/call-name",
    refuses: "a call in the history whose name is not 1 to 64 letters, digits, `_` and `-`",
    find: find.callName(PATTERN),
    says: WORDS,
    source: `${API}/API_runtime_ToolUseBlock.html`,
    date: "2026-11",
    certainty: "documented",
    example: called([{ name: "$READFILE" }], [{}]),
  },
  {
    id: "bedrock/call-id",
    refuses: "a call whose id is not 1 to 64 letters, digits, `_` and `-`",
    find: find.callId(PATTERN),
    says: "1 validation error detected: Value '{id}' at '{at}' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
    source: `${API}/API_runtime_ToolUseBlock.html`,
    date: "2026-11",
    certainty: "documented",
    example: called([{ toolUseId: "a|b" }], [{ toolUseId: "a|b" }]),
  },
  {
    id: "bedrock/same-call-id",
    refuses: "two calls with one id in a message",
    find: find.sameCallId("turn"),
    says: "The toolUse blocks at messages.{turn}.content contain duplicate Ids: {id}",
    source: "bvcyber/Cyber-AutoAgent-ng#72",
    date: "2026-01",
    certainty: "reported",
    example: called([{}, {}], [{}]),
  },
  {
    id: "bedrock/call-input",
    refuses: "a call whose input is no object",
    find: find.inputNotAnObject,
    says: "The format of the value at {at}.toolUse.input is invalid. Provide a json object for the field and try again.",
    source: `${API}/API_runtime_ToolUseBlock.html`,
    date: "2026-11",
    certainty: "supposed",
    example: called([{ input: "x" }], [{}]),
  },
  {
    id: "bedrock/unanswered-call",
    refuses: "a call without its result in the next message",
    find: find.unansweredCall("next"),
    says: "Expected toolResult blocks at messages.2.content for the following Ids: {id}",
    source: "zeroclaw-labs/zeroclaw#1476",
    date: "2026-02",
    certainty: "reported",
    example: called([{}, { toolUseId: "a2" }], [{}]),
  },
  {
    id: "bedrock/orphan-result",
    refuses: "a result without its call in the message before",
    find: find.orphanResult("before"),
    says: "The number of toolResult blocks at {at} exceeds the number of toolUse blocks of previous turn.",
    source: "langgenius/dify-official-plugins#765",
    date: "2025-04",
    certainty: "reported",
    example: say({ toolResult: { toolUseId: "a1", content: [{ text: "x" }] } }),
  },
  {
    id: "bedrock/no-tool-config",
    refuses: "calls and results in a request without tools",
    find: ({ calls, results, body }) => {
      const none = listOf(fieldsOf(body["toolConfig"])["tools"]).length === 0;
      return none && calls.length + results.length > 0 ? { at: "toolConfig" } : undefined;
    },
    says: "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
    source: "langgenius/dify#17545",
    date: "2025-04",
    certainty: "reported",
    example: { ...called([{}], [{}]), toolConfig: undefined },
  },
  {
    id: "bedrock/empty-tool-config",
    refuses: "an empty list of tools",
    find: ({ body: { toolConfig } }) =>
      toolConfig !== undefined && listOf(fieldsOf(toolConfig)["tools"]).length === 0
        ? { at: "toolConfig.tools" }
        : undefined,
    says: "1 validation error detected: Value at '{at}' failed to satisfy constraint: Member must have length greater than or equal to 1",
    source: `${API}/API_runtime_ToolConfiguration.html`,
    date: "2026-11",
    certainty: "documented",
    example: { toolConfig: { tools: [] } },
  },
  {
    id: "bedrock/thinking-signature",
    refuses: "thinking without a signature, for Claude",
    find: (request) => {
      const found = request.parts.find(({ kind, signature }) => kind === "thinking" && !signature);
      return found && isClaude(request) ? { at: found.at } : undefined;
    },
    says: "The model returned the following errors: {at}.thinking.signature: Field required",
    source: "langchain-ai/langchain#29971",
    date: "2025-02",
    certainty: "reported",
    example: {
      messages: [
        ask,
        { role: "assistant", content: [{ reasoningContent: { reasoningText: { text: "Hm" } } }, { text: "x" }] },
        ask,
      ],
    },
  },
  {
    id: "bedrock/error-result",
    refuses: "a failed result with anything but text, for Claude",
    find: (request) => {
      const failed = request.results.find(
        ({ isError, at }) =>
          isError && request.parts.some((part) => part.at.startsWith(`${at}.toolResult`) && part.kind !== "text"),
      );
      return failed && isClaude(request) ? { at: failed.at } : undefined;
    },
    says: 'The model returned the following errors: {at}.tool_result: all content must be type "text" if "is_error" is true',
    source: "vellum-ai/vellum-assistant#18387",
    date: "2026-03",
    certainty: "reported",
    example: called([{}], [{ status: "error", content: [picture("png", PNG)] }]),
  },
];
