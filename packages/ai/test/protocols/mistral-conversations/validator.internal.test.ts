/** The validator of the Mistral API reports what the API rejects. */
import { checkValidator, say } from "../../validators/check-validator.internal.js";
import type { Fields } from "../../validators/faults.js";
import { tests } from "./index.js";

const CALL_RULE = /nine letters|at most 64|at most 40|call_id|begins with a letter/;

checkValidator(tests, [
  [
    "a user message after a result",
    [say("user"), toolCalls("123456789"), tool("123456789"), say("user")],
    /unexpected role user after role tool/,
  ],
  ["a tool call without a result", [say("user"), toolCalls("123456789"), say("user")], /not the same number/],
  ["an id of ten characters", [say("user"), toolCalls("1234567890"), tool("1234567890")], CALL_RULE],
  ["an assistant message last", [say("user"), say("assistant")], /last role/],
]);

function toolCalls(id: string): Fields {
  const call = { id, type: "function", function: { name: "read", arguments: "{}" } };
  return { role: "assistant", content: "I read", tool_calls: [call] };
}

function tool(id: string): Fields {
  return { role: "tool", tool_call_id: id, content: "a" };
}
