/** The words of requests to the Messages API, for the examples of rules. */
import { fieldsOf, type RequestView } from "../../request-view.js";

export const MESSAGES = "platform.claude.com/docs/en/api/messages";
/** Generated from the specification of the api; version 1.14.0. */
export const TYPES = "anthropics/anthropic-sdk-typescript, src/resources/messages/messages.ts";
export const CALLS = "platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls";
export const VISION = "platform.claude.com/docs/en/build-with-claude/vision";
export const PDFS = "platform.claude.com/docs/en/build-with-claude/pdf-support";
export const MEASURED = "experientiallabs/experiential#804";

export const tool = (fields: object): { tools: object[] } => ({
  tools: [{ name: "read", description: "Reads", input_schema: { type: "object", properties: {} }, ...fields }],
});
export const say = (...content: object[]): { messages: object[] } => ({ messages: [{ role: "user", content }] });
export const call = (fields: object = {}): object => ({
  type: "tool_use",
  id: "a1",
  name: "read",
  input: {},
  ...fields,
});
export const result = (fields: object = {}): object => ({
  type: "tool_result",
  tool_use_id: "a1",
  content: "x",
  ...fields,
});
export const called = (uses: object[], results: object[]): { messages: object[] } => ({
  messages: [
    { role: "user", content: "Hi" },
    { role: "assistant", content: uses },
    { role: "user", content: results },
  ],
});
export const image = (media_type: string, data: string): object => ({
  type: "image",
  source: { type: "base64", media_type, data },
});
export const document = (data: string, media_type = "application/pdf"): object => ({
  type: "document",
  source: { type: "base64", media_type, data },
});
export const ask: object = { role: "user", content: "Hi" };
export const thought = (fields: object): { messages: object[] } => ({
  messages: [
    ask,
    { role: "assistant", content: [{ type: "thinking", thinking: "Hm", signature: "c2ln", ...fields }] },
    ask,
  ],
});

/** Models since 4.6 refuse an assistant message at the end. */
export const refusesPrefill = ({ model }: RequestView): boolean =>
  /(opus|sonnet|haiku)-(4-[6-9]|[5-9])|fable/.test(model);
/** Models with a context of 200,000 tokens. */
export const isSmall = ({ model }: RequestView): boolean => /claude-3|-4-[15]|-4-20/.test(model);
export const thinkingOf = ({ body }: RequestView): string => String(fieldsOf(body["thinking"])["type"]);
