/** The validator of the Anthropic Messages API reports what the API rejects. */
import { checkValidator, say } from "../../validators/check-validator.internal.js";
import type { Fields } from "../../validators/faults.js";
import { tests } from "./index.js";

const CALL_RULE = /nine letters|at most 64|at most 40|call_id|begins with a letter/;

const SEARCH = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} };
const FOUND = {
  type: "web_search_tool_result",
  tool_use_id: "srvtoolu_1",
  content: [{ type: "web_search_result", url: "https://example.com", title: "A" }],
};
const WORD = { type: "document", source: { type: "base64", media_type: "application/msword", data: "AAAA" } };

checkValidator(tests, [
  ["an assistant message first", [say("assistant"), say("user")], /first message must use the user role/],
  ["a blank text", [{ role: "user", content: [{ type: "text", text: " " }] }], /non-whitespace/],
  ["a tool call without a result", [say("user"), toolUse("a"), say("user")], /without tool_result/],
  ["a result of nothing", [say("user"), say("assistant"), toolResult("a")], /unexpected tool_use_id/],
  ["a result twice", [say("user"), toolUse("a"), toolResult("a", "a")], /more tool_result/],
  ["an id of 65 characters", [say("user"), toolUse("a".repeat(65)), toolResult("a".repeat(65))], CALL_RULE],
  ["thinking without signature", [say("user"), thinking(""), say("user")], /without a signature/],
  ["a server tool without its result", [say("user"), blocks("assistant", SEARCH), say("user")], /without its result/],
  ["a server tool's result alone", [say("user"), blocks("assistant", FOUND), say("user")], /without its use/],
  ["a search result without its opaque data", [say("user"), blocks("assistant", SEARCH, FOUND)], /encrypted_content/],
  ["a document of another type", [blocks("user", WORD)], /a document is a PDF/],
  ["a server tool of the user", [blocks("user", SEARCH)], /does not belong to this role/],
  ["thinking at the end", [say("user"), thinking("c2ln"), say("user")], /final block cannot be thinking/],
]);

function blocks(role: string, ...content: Fields[]): Fields {
  return { role, content };
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
