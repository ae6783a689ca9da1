/** The validator of ConverseStream reports what the API rejects. */
import { checkValidator } from "../../validators/check-validator.js";
import type { Fields } from "../../validators/faults.js";
import { tests } from "./index.js";

const CALL_RULE = /nine letters|at most 64|at most 40|call_id|begins with a letter/;

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
