/** The validator of ConverseStream reports what the API rejects. */
import { checkValidator } from "../../validators/check-validator.internal.js";
import type { Fields } from "../../validators/faults.js";
import { tests } from "./index.js";

const CALL_RULE = /nine letters|at most 64|at most 40|call_id|begins with a letter/;

const AMAZON_USE = { toolUse: { toolUseId: "a", name: "nova_grounding", input: {}, type: "server_tool_use" } };
const PDF = { document: { format: "pdf", name: "a", source: { bytes: "AAAA" } } };

checkValidator(tests, [
  ["two of one role", [bedrock("user", { text: "a" }), bedrock("user", { text: "b" })], /must alternate/],
  ["a blank text", [bedrock("user", { text: "" })], /blank/],
  [
    "a tool call without a result",
    [bedrock("user", { text: "a" }), bedrockCall("a"), bedrock("user", { text: "b" })],
    /one toolResult/,
  ],
  ["an id with a bar", [bedrock("user", { text: "a" }), bedrockCall("a|b"), bedrockResult("a|b")], CALL_RULE],
  [
    "a tool of Amazon without its result",
    [bedrock("user", { text: "a" }), bedrock("assistant", AMAZON_USE), bedrock("user", { text: "b" })],
    /without its result/,
  ],
  ["a document alone", [bedrock("user", PDF)], /needs a text beside it/],
  ["two documents with one name", [bedrock("user", { text: "a" }, PDF, PDF)], /two documents with one name/],
  [
    "a tool call without tools",
    [bedrock("user", { text: "a" }), bedrockCall("a"), bedrockResult("a")],
    /must be defined when using/,
  ],
]);

function bedrock(role: string, ...content: Fields[]): Fields {
  return { role, content };
}

function bedrockCall(id: string): Fields {
  return bedrock("assistant", { toolUse: { toolUseId: id, name: "read", input: {} } });
}

function bedrockResult(id: string): Fields {
  return bedrock("user", { toolResult: { toolUseId: id, content: [{ text: "a" }] } });
}
