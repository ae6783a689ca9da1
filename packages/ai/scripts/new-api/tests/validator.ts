/** The requests that the Example API accepts. Name the source of each rule, and when it was read. */
import type { Model } from "pi-ai";
import { checkUnicode, type Faults, type Fields, isSaid, listOf } from "../../../test/validators/faults.js";

const MAX_ID_LENGTH = 64;

export function checkExampleApi(body: Fields, model: Model, faults: Faults): void {
  checkUnicode(body, faults);
  const messages = listOf(body["messages"]);
  faults.check(messages.length > 0, "messages", "at least one message is required");
  for (const [index, message] of messages.entries()) checkMessage(message, `messages.${index}`, model, faults);
  checkToolCalls(messages, faults);
}

function checkMessage(message: Fields, place: string, model: Model, faults: Faults): void {
  faults.fields(message, ["role", "content", "tool_calls", "tool_call_id"], place);
  const parts = listOf(message["content"]);
  const calls = listOf(message["tool_calls"]);
  faults.check(parts.length > 0 || calls.length > 0, place, "content must not be empty");
  for (const part of parts) {
    if (part["type"] === "image")
      faults.check(model.input.includes("image"), place, "the model does not accept images");
    else if (part["type"] === "text" || part["type"] === "thinking")
      faults.check(isSaid(part["text"]), place, "a text must not be blank");
  }
}

/** Each tool call has one result, right after the message that holds the call. */
function checkToolCalls(messages: readonly Fields[], faults: Faults): void {
  const open = new Set<unknown>();
  for (const [index, message] of messages.entries()) {
    const place = `messages.${index}`;
    if (message["role"] === "tool") {
      faults.check(open.delete(message["tool_call_id"]), place, "a result must belong to an open tool call");
      continue;
    }
    faults.check(open.size === 0, place, "a tool call has no result");
    for (const { id } of listOf(message["tool_calls"])) {
      faults.check(
        isSaid(id) && String(id).length <= MAX_ID_LENGTH,
        place,
        `an id has 1 to ${MAX_ID_LENGTH} characters`,
      );
      open.add(id);
    }
  }
  faults.check(open.size === 0, "messages", "a tool call has no result");
}
