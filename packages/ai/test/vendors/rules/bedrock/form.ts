/** The words of requests to ConverseStream, for the examples of rules. */
import type { Fields, RequestView } from "../../request-view.js";
import { PDF } from "../../samples.js";

export const API = "docs.aws.amazon.com/bedrock/latest/APIReference";
export const VISION = "platform.claude.com/docs/en/build-with-claude/vision";
export const PATTERN: RegExp = /^[a-zA-Z0-9_-]{1,64}$/;
export const WORDS =
  "1 validation error detected: Value '{name}' at '{at}' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+";

export const ask: Fields = { role: "user", content: [{ text: "Hi" }] };
export const tools = (...all: object[]): Fields => ({
  toolConfig: {
    tools: all.map((fields) => ({
      toolSpec: {
        name: "read",
        description: "Reads",
        inputSchema: { json: { type: "object", properties: {} } },
        ...fields,
      },
    })),
  },
});
export const say = (...content: object[]): Fields => ({ messages: [{ role: "user", content }] });
export const picture = (format: string, bytes: string): object => ({ image: { format, source: { bytes } } });
export const document = (fields: object): object => ({
  document: { format: "pdf", name: "a", source: { bytes: PDF }, ...fields },
});
export const called = (calls: object[], results: object[]): Fields => ({
  ...tools({}),
  messages: [
    ask,
    {
      role: "assistant",
      content: calls.map((fields) => ({ toolUse: { toolUseId: "a1", name: "read", input: {}, ...fields } })),
    },
    {
      role: "user",
      content: results.map((fields) => ({ toolResult: { toolUseId: "a1", content: [{ text: "x" }], ...fields } })),
    },
  ],
});

export const isClaude = ({ model }: RequestView): boolean => /claude/.test(model);
