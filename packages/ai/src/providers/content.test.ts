import { describe, expect, it } from "vitest";
import type { Message } from "../types/message.js";
import type { Model } from "../types/model.js";
import { isBlank, resultText, shownResultText, toDataUrl, userParts } from "./content.js";
import { copilotHeaders } from "./copilot-headers.js";
import { sessionHeaders } from "./host-headers.js";
import { commonOptions, sharedOptions } from "./simple-options.js";

const text = (value: string) => ({ type: "text" as const, text: value });
const image = { type: "image" as const, data: "AAAA", mimeType: "image/png" };

describe("content", () => {
  it("detects blank texts", () => {
    for (const value of ["", " \n\t", undefined, null]) expect(isBlank(value)).toBe(true);
    expect(isBlank(" x ")).toBe(false);
  });

  it("splits a user's content into parts, without blank texts and lone surrogates", () => {
    expect(userParts("a\ud83d")).toEqual([text("a")]);
    expect(userParts([text(" "), image, text("🌍")])).toEqual([image, text("🌍")]);
    expect(userParts("\ud83d")).toEqual([]);
  });

  it("shows a tool result, or a note if it is empty", () => {
    expect(resultText([text("a"), image, text("b\udf0d")])).toBe("a\nb");
    expect(shownResultText([text("a")])).toBe("a");
    expect(shownResultText([image])).toBe("(see attached image)");
    expect(shownResultText([text(" ")])).toBe("(no tool output)");
    expect(shownResultText([])).toBe("(no tool output)");
  });

  it("writes an image as a data URL", () => expect(toDataUrl(image)).toBe("data:image/png;base64,AAAA"));
});

describe("copilotHeaders", () => {
  const user = (content: (typeof image)[] | string): Message => ({ role: "user", content, timestamp: 0 });
  const result: Message = {
    role: "toolResult",
    toolCallId: "a",
    toolName: "edit",
    content: [image],
    isError: false,
    timestamp: 0,
  };

  it.each([
    [[], "user", undefined],
    [[user("hi")], "user", undefined],
    [[user("hi"), result], "agent", "true"],
    [[user([image]), user("hi")], "user", "true"],
  ])("%#", (messages, initiator, vision) => {
    const headers = copilotHeaders(messages);
    expect([headers["X-Initiator"], headers["Copilot-Vision-Request"]]).toEqual([initiator, vision]);
  });
});

describe("sessionHeaders", () => {
  it("uses the router's header names", () => {
    expect(Object.keys(sessionHeaders("s"))).toEqual(["session_id", "x-client-request-id", "x-session-affinity"]);
    expect(Object.keys(sessionHeaders("s", "openai-nosession"))).not.toContain("session_id");
    expect(sessionHeaders("s", "openrouter")).toEqual({ "x-session-id": "s", "x-session-affinity": "s" });
  });
});

describe("simple options", () => {
  const simple = { reasoning: "low" as const, thinkingBudgets: {}, toolChoice: "auto", temperature: 1 };

  it("omit the options that each api names differently", () => {
    expect(sharedOptions(simple)).toEqual({ temperature: 1 });
  });

  it("limit the response by the model's own limit, if it has one", () => {
    const model = { maxTokens: 50 } as Model; // only these fields are read
    expect(commonOptions(model, simple)).toEqual({ temperature: 1, maxTokens: 50 });
    expect(commonOptions(model, { maxTokens: 7 })).toEqual({ maxTokens: 7 });
    expect(commonOptions({ ...model, maxTokens: 0 }, {})).toEqual({});
  });
});
