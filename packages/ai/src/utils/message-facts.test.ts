import { messageText } from "pi-ai";
import { expect, test } from "vitest";
import { createResponse } from "../../test/messages.js";

test("the text of a message is the text of its text blocks", () => {
  const response = createResponse({
    content: [
      { type: "thinking", thinking: "Hm" },
      { type: "text", text: "It is " },
      { type: "toolCall", id: "1", name: "look", arguments: {} },
      { type: "text", text: "sunny." },
    ],
  });
  expect(messageText(response)).toBe("It is sunny.");
  expect(messageText(createResponse())).toBe("");
  expect(messageText({ content: "Hi" })).toBe("Hi");
  expect(messageText({ content: [{ type: "image", data: "", mimeType: "image/png" }] })).toBe("");
});
