/** Each validator complains about what its protocol forbids, and about nothing in a plain request. */
import { describe, expect, test } from "vitest";
import type { KnownApi } from "../../src/types/model.js";
import { buildBody, TOOLS } from "../handoff/check-handoff.js";
import { IMAGE, user } from "../handoff/conversations.js";
import { PARTIES } from "../handoff/parties.js";
import { type Fields, fieldsOf } from "./faults.js";
import { findFaults } from "./validators.js";

const CALL_RULE = /nine letters|at most 64|at most 40|call_id|begins with a letter/;

/** Bad conversations as each family of protocols writes them, with what is wrong. */
const BAD: Readonly<Record<string, [name: string, conversation: Fields[], complaint: RegExp][]>> = {
  "anthropic-messages": [
    ["an answer first", [say("assistant"), say("user")], /first message must use the user role/],
    ["a blank text", [{ role: "user", content: [{ type: "text", text: " " }] }], /non-whitespace/],
    ["an unanswered call", [say("user"), toolUse("a"), say("user")], /without tool_result/],
    ["a result of nothing", [say("user"), say("assistant"), toolResult("a")], /unexpected tool_use_id/],
    ["a result twice", [say("user"), toolUse("a"), toolResult("a", "a")], /more tool_result/],
    ["an id of 65 characters", [say("user"), toolUse("a".repeat(65)), toolResult("a".repeat(65))], CALL_RULE],
    ["thinking without signature", [say("user"), thinking(""), say("user")], /without a signature/],
    ["thinking at the end", [say("user"), thinking("c2ln"), say("user")], /final block cannot be thinking/],
  ],
  "openai-completions": [
    ["an unanswered call", [say("user"), toolCalls("a"), say("user")], /without their tool messages/],
    ["a result of nothing", [say("user"), tool("a"), say("user")], /must answer an open call/],
    ["an id of 41 characters", [say("user"), toolCalls("a".repeat(41)), tool("a".repeat(41))], CALL_RULE],
    ["an answer without content", [say("user"), { role: "assistant", content: null }, say("user")], /needs content/],
    ["half a character", [{ role: "user", content: "\ud83d" }], /half a surrogate pair/],
  ],
  "openai-responses": [
    ["an unanswered call", [say("user"), functionCall("a")], /no tool output found/],
    ["an output of nothing", [say("user"), output("a")], /must answer an open call/],
    ["an id of 65 characters", [say("user"), functionCall("a".repeat(65)), output("a".repeat(65))], CALL_RULE],
    ["a foreign item id", [say("user"), { ...functionCall("a"), id: "toolu_1" }, output("a")], /begins with fc_/],
    ["reasoning alone", [say("user"), reasoning("gAAA"), say("user")], /required following item/],
    [
      "reasoning that was not stored",
      [say("user"), reasoning(undefined), functionCall("a"), output("a")],
      /not stored/,
    ],
  ],
  "google-generative-ai": [
    ["an answer first", [parts("model", { text: "Hi" }), parts("user", { text: "Hi" })], /start with a user turn/],
    ["an empty part", [parts("user", { text: "" })], /empty text/],
    [
      "an unanswered call",
      [parts("user", { text: "Hi" }), googleCall(), parts("user", { text: "Hi" })],
      /answered at once/,
    ],
    ["a response of nothing", [parts("user", { text: "Hi" }), googleResponse()], /must follow a call turn/],
    [
      "calls in a row",
      [parts("user", { text: "Hi" }), parts("model", { text: "a" }), googleCall(), googleResponse()],
      /follow a user turn/,
    ],
    [
      "an unsigned call",
      [parts("user", { text: "Hi" }), googleCall({}), googleResponse()],
      /missing a thought_signature/,
    ],
    [
      "no base64",
      [parts("user", { text: "Hi" }), googleCall({ thoughtSignature: "rs_1!" }), googleResponse()],
      /base64/,
    ],
  ],
  "bedrock-converse-stream": [
    ["two of one role", [bedrock("user", { text: "a" }), bedrock("user", { text: "b" })], /must alternate/],
    ["a blank text", [bedrock("user", { text: "" })], /blank/],
    [
      "an unanswered call",
      [bedrock("user", { text: "a" }), bedrockCall("a"), bedrock("user", { text: "b" })],
      /one toolResult/,
    ],
    ["an id with a bar", [bedrock("user", { text: "a" }), bedrockCall("a|b"), bedrockResult("a|b")], CALL_RULE],
    [
      "a call without tools",
      [bedrock("user", { text: "a" }), bedrockCall("a"), bedrockResult("a")],
      /must be defined when using/,
    ],
  ],
  "mistral-conversations": [
    [
      "a user after a result",
      [say("user"), toolCalls("123456789"), tool("123456789"), say("user")],
      /unexpected role user after role tool/,
    ],
    ["an unanswered call", [say("user"), toolCalls("123456789"), say("user")], /not the same number/],
    ["an id of ten characters", [say("user"), toolCalls("1234567890"), tool("1234567890")], CALL_RULE],
    ["an answer last", [say("user"), say("assistant")], /last role/],
  ],
};

describe.each(PARTIES.map((party) => [party.model.api as KnownApi, party] as const))("%s", (api, party) => {
  test("a plain request has no faults", () => {
    const body = buildBody(party, party.model, [user([{ type: "text", text: "Hi" }, IMAGE])], {
      tools: TOOLS,
      options: {},
    });
    expect(findFaults(api, body, party.model)).toEqual([]);
  });
});

for (const [api, cases] of Object.entries(BAD)) {
  const party = PARTIES.find(({ adapter }) => adapter.api === api);
  test.each(cases)(`${api} refuses %s`, (_name, conversation, complaint) => {
    if (!party) throw new Error(`No party speaks ${api}`);
    const good = fieldsOf(buildBody(party, party.model, [user("Hi")], { tools: [], options: {} }));
    const field = ["messages", "input", "contents"].find((name) => name in good) ?? "";
    const faults = findFaults(api as KnownApi, { ...good, [field]: conversation }, party.model); // keys of the table
    expect(faults.join("\n")).toMatch(complaint);
  });
}

function say(role: string): Fields {
  return { role, content: role === "user" ? "Hi" : "Hello" };
}

function toolUse(id: string): Fields {
  return { role: "assistant", content: [{ type: "tool_use", id, name: "read", input: {} }] };
}

function toolResult(...ids: string[]): Fields {
  return { role: "user", content: ids.map((id) => ({ type: "tool_result", tool_use_id: id, content: "a" })) };
}

function thinking(signature: string): Fields {
  return { role: "assistant", content: [{ type: "thinking", thinking: "Hm", signature }] };
}

function toolCalls(id: string): Fields {
  const call = { id, type: "function", function: { name: "read", arguments: "{}" } };
  return { role: "assistant", content: "I read", tool_calls: [call] };
}

function tool(id: string): Fields {
  return { role: "tool", tool_call_id: id, content: "a" };
}

function functionCall(id: string): Fields {
  return { type: "function_call", call_id: id, name: "read", arguments: "{}" };
}

function output(id: string): Fields {
  return { type: "function_call_output", call_id: id, output: "a" };
}

function reasoning(encrypted: string | undefined): Fields {
  return { type: "reasoning", id: "rs_1", summary: [], encrypted_content: encrypted };
}

function parts(role: string, ...list: Fields[]): Fields {
  return { role, parts: list };
}

function googleCall(fields: Fields = { thoughtSignature: "c2ln" }): Fields {
  return parts("model", { functionCall: { name: "read", args: {} }, ...fields });
}

function googleResponse(): Fields {
  return parts("user", { functionResponse: { name: "read", response: { output: "a" } } });
}

function bedrock(role: string, ...content: Fields[]): Fields {
  return { role, content };
}

function bedrockCall(id: string): Fields {
  return bedrock("assistant", { toolUse: { toolUseId: id, name: "read", input: {} } });
}

function bedrockResult(id: string): Fields {
  return bedrock("user", { toolResult: { toolUseId: id, content: [{ text: "a" }] } });
}
