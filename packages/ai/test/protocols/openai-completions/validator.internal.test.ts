/** The validator of the Chat Completions API reports what the API rejects. */
import { checkValidator, say } from "../../validators/check-validator.internal.js";
import type { Fields } from "../../validators/faults.js";
import { tests } from "./index.js";

const CALL_RULE = /nine letters|at most 64|at most 40|call_id|begins with a letter/;

checkValidator(tests, [
  ["a tool call without a result", [say("user"), toolCalls("a"), say("user")], /without their tool messages/],
  ["a result without a tool call", [say("user"), tool("a"), say("user")], /must match an open tool call/],
  ["an id of 41 characters", [say("user"), toolCalls("a".repeat(41)), tool("a".repeat(41))], CALL_RULE],
  [
    "an assistant message without content",
    [say("user"), { role: "assistant", content: null }, say("user")],
    /needs content/,
  ],
  ["half a character", [{ role: "user", content: "\ud83d" }], /half a surrogate pair/],
]);

function toolCalls(id: string): Fields {
  const call = { id, type: "function", function: { name: "read", arguments: "{}" } };
  return { role: "assistant", content: "I read", tool_calls: [call] };
}

function tool(id: string): Fields {
  return { role: "tool", tool_call_id: id, content: "a" };
}
