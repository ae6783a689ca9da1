/** The validator of the Responses API reports what the API rejects. */
import { checkValidator, say } from "../../validators/check-validator.internal.js";
import type { Fields } from "../../validators/faults.js";
import { tests } from "./index.js";

const CALL_RULE = /nine letters|at most 64|at most 40|call_id|begins with a letter/;

checkValidator(tests, [
  ["a tool call without a result", [say("user"), functionCall("a")], /no tool output found/],
  ["an output without a tool call", [say("user"), output("a")], /must match an open tool call/],
  ["an id of 65 characters", [say("user"), functionCall("a".repeat(65)), output("a".repeat(65))], CALL_RULE],
  ["a foreign item id", [say("user"), { ...functionCall("a"), id: "toolu_1" }, output("a")], /begins with fc_/],
  ["reasoning alone", [say("user"), reasoning("gAAA"), say("user")], /required following item/],
  ["reasoning that was not stored", [say("user"), reasoning(undefined), functionCall("a"), output("a")], /not stored/],
]);

function functionCall(id: string): Fields {
  return { type: "function_call", call_id: id, name: "read", arguments: "{}" };
}

function output(id: string): Fields {
  return { type: "function_call_output", call_id: id, output: "a" };
}

function reasoning(encrypted: string | undefined): Fields {
  return { type: "reasoning", id: "rs_1", summary: [], encrypted_content: encrypted };
}
