/** The two wire formats of OpenAI, for rules and examples of both. */
import { type Fields, fieldsOf } from "../../request-view.js";

/** Generated from the specification of the api; version 7.59. */
export const TYPES = "openai/openai-node, src/resources/chat/completions/completions.ts";

/** How a wire format writes what the rules of both need for their examples. */
export interface OpenAIForm {
  vendor: string;
  /** The most characters of a call's id. */
  idLength: number;
  tools(...fields: object[]): Fields;
  /** A conversation with these calls and the results of these ids. */
  called(calls: object[], results: string[]): Fields;
  say(...parts: object[]): Fields;
  text(text: string): object;
  picture(url: string): object;
  file(name: string | undefined, url: string): object;
  conversation: string;
}

const FUNCTION = { name: "read", description: "Reads", parameters: { type: "object", properties: {} } };

export const CHAT_FORM: OpenAIForm = {
  vendor: "openai-chat",
  idLength: 40,
  tools: (...all) => ({ tools: all.map((fields) => ({ type: "function", function: { ...FUNCTION, ...fields } })) }),
  called: (calls, results) => ({
    messages: [
      { role: "user", content: "Hi" },
      {
        role: "assistant",
        content: null,
        tool_calls: calls.map((fields) => {
          const { id = "a1", name = "read", arguments: input = "{}" } = fieldsOf(fields);
          return { id, type: "function", function: { name, arguments: input } };
        }),
      },
      ...results.map((id) => ({ role: "tool", tool_call_id: id, content: "x" })),
      ...(results.length === 0 ? [{ role: "user", content: "Hi" }] : []),
    ],
  }),
  say: (...content) => ({ messages: [{ role: "user", content }] }),
  text: (text) => ({ type: "text", text }),
  picture: (url) => ({ type: "image_url", image_url: { url } }),
  file: (filename, file_data) => ({
    type: "file",
    file: { file_data, ...(filename === undefined ? {} : { filename }) },
  }),
  conversation: "messages",
};

export const RESPONSES_FORM: OpenAIForm = {
  vendor: "openai-responses",
  idLength: 64,
  tools: (...all) => ({ tools: all.map((fields) => ({ type: "function", ...FUNCTION, ...fields })) }),
  called: (calls, results) => ({
    input: [
      { role: "user", content: "Hi" },
      ...calls.map((fields) => {
        const { id = "a1", name = "read", arguments: input = "{}" } = fieldsOf(fields);
        return { type: "function_call", call_id: id, name, arguments: input };
      }),
      ...results.map((id) => ({ type: "function_call_output", call_id: id, output: "x" })),
    ],
  }),
  say: (...content) => ({ input: [{ role: "user", content }] }),
  text: (text) => ({ type: "input_text", text }),
  picture: (url) => ({ type: "input_image", image_url: url }),
  file: (filename, file_data) => ({ type: "input_file", file_data, ...(filename === undefined ? {} : { filename }) }),
  conversation: "input",
};
