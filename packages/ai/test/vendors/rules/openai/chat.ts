/** What OpenAI refuses on Chat Completions. */
import * as find from "../../find.js";
import { listOf } from "../../request-view.js";
import type { Rule } from "../../rule.js";
import { json, PNG } from "../../samples.js";
import { CHAT_FORM, TYPES } from "./form.js";
import { sharedRules } from "./shared.js";

const CHAT_API = "platform.openai.com/docs/api-reference/chat/create";
const ask = { role: "user", content: "Hi" };

export const OPENAI_CHAT_RULES: readonly Rule[] = [
  ...sharedRules(CHAT_FORM),
  {
    id: "openai-chat/no-messages",
    refuses: "a request without messages",
    find: find.noTurns,
    says: "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    code: "empty_array",
    source: "CopilotKit/CopilotKit#529",
    date: "2024-08",
    certainty: "reported",
    example: { messages: [] },
  },
  {
    id: "openai-chat/role",
    refuses: "an unknown role",
    find: find.otherRole("system", "developer", "user", "assistant", "tool", "function"),
    says: "Invalid value: '{role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
    code: "invalid_value",
    source: TYPES,
    date: "2026-11",
    certainty: "documented",
    example: { messages: [{ role: "model", content: "Hi" }] },
  },
  {
    id: "openai-chat/unanswered-call",
    refuses: "a call without a tool message after it",
    find: find.unansweredCall("following"),
    says: "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: {id}",
    source: "agno-agi/agno#3105",
    date: "2025-05",
    certainty: "reported",
    example: CHAT_FORM.called([{}], []),
  },
  {
    id: "openai-chat/orphan-result",
    refuses: "a tool message that no call comes before",
    find: find.orphanResult("before"),
    says: "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    source: "miurla/morphic#136",
    date: "2024-05",
    certainty: "reported",
    example: { messages: [ask, { role: "tool", tool_call_id: "a1", content: "x" }] },
  },
  {
    id: "openai-chat/same-call-id",
    refuses: "two calls with one id in a message",
    find: find.sameCallId("turn"),
    says: "Duplicate value for 'tool_call_id' of '{id}' in message[{turn}]",
    source: "deepseek-ai/awesome-deepseek-integration#520",
    date: "2025-12",
    certainty: "supposed",
    example: CHAT_FORM.called([{}, {}], ["a1"]),
  },
  {
    id: "openai-chat/empty-calls",
    refuses: "an empty list of calls",
    find: ({ body }) => {
      const turn = listOf(body["messages"]).findIndex(
        ({ tool_calls: calls }) => Array.isArray(calls) && calls.length === 0,
      );
      return turn < 0 ? undefined : { at: `messages[${turn}].tool_calls` };
    },
    says: "Invalid '{at}': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    code: "empty_array",
    source: "openai/openai-python#2061",
    date: "2025-01",
    certainty: "reported",
    example: { messages: [ask, { role: "assistant", content: "x", tool_calls: [] }] },
  },
  {
    id: "openai-chat/silent-assistant",
    refuses: "a message of the assistant with neither content nor calls",
    find: ({ body }) => {
      const turn = listOf(body["messages"]).findIndex(
        ({ role, content, tool_calls: calls, refusal, audio }) =>
          role === "assistant" && (content === null || content === undefined) && !calls && !refusal && !audio,
      );
      return turn < 0 ? undefined : { at: `messages[${turn}].content` };
    },
    says: "Invalid value for 'content': expected a string, got null.",
    source: TYPES,
    date: "2026-11",
    certainty: "documented",
    example: { messages: [ask, { role: "assistant", content: null }, ask] },
  },
  {
    id: "openai-chat/empty-content",
    refuses: "an empty list as content",
    find: ({ turns }) => {
      const found = turns.find(({ content }) => Array.isArray(content) && content.length === 0);
      return found && { at: `${found.at}.content` };
    },
    says: "Invalid '{at}': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    code: "empty_array",
    source: "n8n-io/n8n#36774",
    date: "2026-08",
    certainty: "reported",
    example: { messages: [{ role: "user", content: [] }] },
  },
  {
    id: "openai-chat/tool-picture",
    refuses: "a picture in a message that is not the user's",
    find: ({ parts }) => {
      const found = parts.find(({ kind, role }) => kind === "picture" && role !== "user");
      return found && { at: found.at.replace(/\.content.*/, ""), role: found.role };
    },
    says: "Invalid '{at}'. Image URLs are only allowed for messages with role 'user', but this message with role '{role}' contains an image URL.",
    code: "invalid_value",
    source: "dreadnode/rigging#41",
    date: "2025-02",
    certainty: "reported",
    example: {
      messages: [
        ask,
        { role: "assistant", content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } }] },
      ],
    },
  },
  {
    id: "openai-chat/file-type",
    refuses: "a file that is no PDF by its data URL",
    find: find.files(({ type }) => (type === undefined || type === "application/pdf" ? undefined : {})),
    says: "Invalid file data: '{at}'. Expected a base64-encoded data URL with an application/pdf MIME type (e.g. 'data:application/pdf;base64,SGVsbG8sIFdvcmxkIQ=='), but got unsupported MIME type '{type}'.",
    code: "invalid_value",
    source: "developers.openai.com/api/docs/guides/file-inputs",
    date: "2026-11",
    certainty: "documented",
    example: CHAT_FORM.say(CHAT_FORM.file("a.md", `data:text/markdown;base64,${json("# Hi")}`)),
  },
  {
    id: "openai-chat/max-tokens",
    refuses: "`max_tokens` for models that think",
    find: find.field("max_tokens", (_value, { model }) => /gpt-[5-9]|^o\d/.test(model)),
    says: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    code: "unsupported_parameter",
    source: "decolua/9router#560",
    date: "2026-04",
    certainty: "reported",
    example: { model: "gpt-5", max_tokens: 10 },
  },
  {
    id: "openai-chat/unknown-field",
    refuses: "a field of other servers in a message",
    find: ({ body }) => {
      for (const [turn, message] of listOf(body["messages"]).entries()) {
        const name = Object.keys(message).find((key) => /^reasoning/.test(key));
        if (name !== undefined) return { at: `messages[${turn}].${name}` };
      }
      return undefined;
    },
    says: "Unknown parameter: '{at}'.",
    code: "unknown_parameter",
    source: CHAT_API,
    date: "2026-11",
    certainty: "supposed",
    example: { messages: [ask, { role: "assistant", content: "x", reasoning_content: "y" }] },
  },
];
