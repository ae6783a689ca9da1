/** The validator of the Gemini API reports what the API rejects. */
import { checkValidator } from "../../validators/check-validator.internal.js";
import type { Fields } from "../../validators/faults.js";
import { tests } from "./index.js";

checkValidator(tests, [
  ["a model turn first", [parts("model", { text: "Hi" }), parts("user", { text: "Hi" })], /start with a user turn/],
  ["an empty part", [parts("user", { text: "" })], /empty text/],
  [
    "a tool call without a result",
    [parts("user", { text: "Hi" }), googleCall(), parts("user", { text: "Hi" })],
    /followed by its responses/,
  ],
  ["a response of nothing", [parts("user", { text: "Hi" }), googleResponse()], /must follow a call turn/],
  [
    "consecutive tool calls",
    [parts("user", { text: "Hi" }), parts("model", { text: "a" }), googleCall(), googleResponse()],
    /follow a user turn/,
  ],
  [
    "a result of code without its code",
    [parts("user", { text: "Hi" }), parts("model", { codeExecutionResult: { outcome: "OUTCOME_OK" } })],
    /must follow its code/,
  ],
  ["code of the user", [parts("user", { executableCode: { language: "PYTHON", code: "1" } })], /only the model makes/],
  [
    "an unsigned tool call",
    [parts("user", { text: "Hi" }), googleCall({}), googleResponse()],
    /missing a thought_signature/,
  ],
  ["no base64", [parts("user", { text: "Hi" }), googleCall({ thoughtSignature: "rs_1!" }), googleResponse()], /base64/],
]);

function parts(role: string, ...list: Fields[]): Fields {
  return { role, parts: list };
}

function googleCall(fields: Fields = { thoughtSignature: "c2ln" }): Fields {
  return parts("model", { functionCall: { name: "read", args: {} }, ...fields });
}

function googleResponse(): Fields {
  return parts("user", { functionResponse: { name: "read", response: { output: "a" } } });
}
