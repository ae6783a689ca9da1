/** Conversations as other libraries and imported transcripts have them: blank, incomplete, with values of other types. */
import type { Context } from "pi-ai";
import { createResponse } from "../messages.js";

const HALF = "\ud83d";
const PLAIN = { name: "plain", description: "Plain", parameters: { type: "object", properties: {} } };
const HI = { role: "user", content: "Hi", timestamp: 1 };

const user = (content: unknown) => ({ role: "user", content, timestamp: 1 });
const said = (content: unknown, stopReason = "stop") => ({ ...createResponse({}), content, stopReason });
const call = (id: unknown, name: unknown = "plain", given: unknown = {}) => ({
  type: "toolCall",
  id,
  name,
  arguments: given,
});
const result = (id: unknown, content: unknown = [{ type: "text", text: "ok" }], more: object = {}) => ({
  ...{ role: "toolResult", toolCallId: id, toolName: "plain", content, isError: false, timestamp: 1 },
  ...more,
});
const called = (id: unknown, name?: unknown, given?: unknown) => said([call(id, name, given)], "toolUse");
const earlier = (block: object) => [
  user([{ type: "text", text: "See" }, block]),
  said([{ type: "text", text: "Yes" }]),
  HI,
];
const ODD_IDS = ["a|b|c", "a+b/c=", "x".repeat(200), "", " ", "é", "a b", HALF, `${HALF}|${HALF}`, "|fc_1", "a|fc_1"];
const tools = (names: readonly string[]) => names.map((name) => ({ ...PLAIN, name }));

type Given = Record<keyof Pick<Context, "messages"> | string, unknown>;

const CONVERSATIONS: Readonly<Record<string, Given>> = {
  "a prompt of half a character": { systemPrompt: HALF, messages: [HI] },
  "a blank prompt": { systemPrompt: " \n", messages: [HI] },
  "half a character as a message": { messages: [HI, said([{ type: "text", text: HALF }]), user(HALF), HI] },
  "half a character as the last message": { messages: [HI, said([{ type: "text", text: "x" }]), user(HALF)] },
  "blank messages in the middle": {
    messages: [HI, said([{ type: "text", text: " \n" }]), user("  "), said([]), user([{ type: "text", text: "" }]), HI],
  },
  "only blank messages": { messages: [user(" "), user([{ type: "text", text: HALF }])] },
  "an empty list": { messages: [HI, said([{ type: "text", text: "x" }]), user([]), said([]), HI] },
  "empty places": { messages: [user([null, { type: "text", text: "x" }, undefined]), said([null]), HI] },
  "a response that is a text": { messages: [HI, said("said"), HI] },
  "a result that is a text": { messages: [HI, called("c1"), result("c1", "text")], tools: [PLAIN] },
  "an empty result": { messages: [HI, called("c1"), result("c1", [])], tools: [PLAIN] },
  "a blank error": {
    messages: [HI, called("c1"), result("c1", [{ type: "text", text: HALF }], { isError: true })],
    tools: [PLAIN],
  },
  ...Object.fromEntries(
    [null, '{"a":1}', [1], undefined, { [HALF]: HALF, deep: [{ [`x${HALF}`]: 1 }] }].map((given, index) => [
      `arguments ${index}`,
      { messages: [HI, called("c1", "plain", given), result("c1")], tools: [PLAIN] },
    ]),
  ),
  ...Object.fromEntries(
    [undefined, null, 1, {}, ...ODD_IDS].map((id, index) => [
      `the id ${index}`,
      { messages: [HI, called(id), result(id), called(id, "plain", { a: 1 }), result(id)], tools: [PLAIN] },
    ]),
  ),
  "odd ids in one response": {
    messages: [
      HI,
      said(
        ODD_IDS.map((id) => call(id)),
        "toolUse",
      ),
      ...ODD_IDS.map((id) => result(id)),
    ],
    tools: [PLAIN],
  },
  "no name": {
    messages: [HI, called("c1", undefined), result("c1", undefined, { toolName: undefined })],
    tools: [PLAIN],
  },
  "results in another order": {
    messages: [HI, said([call("c1"), call("c2")], "toolUse"), result("c2"), HI, result("c1")],
    tools: [PLAIN],
  },
  "a result first": { messages: [result("c1"), HI], tools: [PLAIN] },
  "a response first": { messages: [said([{ type: "text", text: "Hello" }]), HI] },
  "a response last": { messages: [HI, said([{ type: "text", text: "Hello " }])] },
  "a call last": { messages: [HI, called("c1")], tools: [PLAIN] },
  "calls without tools": { messages: [HI, called("c1"), result("c1"), HI] },
  "calls with an empty list of tools": { messages: [HI, called("c1"), result("c1"), HI], tools: [] },
  "names that collide": {
    messages: [HI],
    tools: tools(["a b", "a_b", "a.b", "a-b", "a/b", "A_B", "x".repeat(128), `${"x".repeat(128)}1`, "x".repeat(64)]),
  },
  "300 tools": { messages: [HI], tools: tools(Array.from({ length: 300 }, (_, index) => `t${index}`)) },
  "a tool without parameters": { messages: [HI], tools: [{ name: "a", description: "A" }] },
  "a tool without a description": { messages: [HI], tools: [{ name: "a", parameters: PLAIN.parameters }] },
  "a tool with a blank description": { messages: [HI], tools: [{ ...PLAIN, description: " " }] },
  "a file that is nowhere": { messages: earlier({ type: "file", mimeType: "application/pdf" }) },
  "a picture that is nowhere": { messages: earlier({ type: "image", mimeType: "image/png" }) },
  "a text at an address": { messages: earlier({ type: "file", mimeType: "text/plain", url: "https://a.test/a.txt" }) },
  "a sound at an address": { messages: earlier({ type: "file", mimeType: "audio/mpeg", url: "https://a.test/a.mp3" }) },
  "an address without a type": { messages: earlier({ type: "file", url: "https://a.test/a.pdf" }) },
  ...Object.fromEntries(
    [
      "s3://b/a",
      "gs://b/a",
      "http://a.test/a",
      "file:///a",
      "blob:https://a.test/1",
      "",
      "no address",
      "a.png",
    ].flatMap((url) =>
      ["image/png", "application/pdf"].map((mimeType) => [
        `${mimeType} at ${url}`,
        { messages: earlier({ type: "file", mimeType, url }) },
      ]),
    ),
  ),
  "an id without a type": { messages: earlier({ type: "file", mimeType: "", fileId: "file_1" }) },
  "a file of a result at an address": {
    messages: [
      ...[HI, called("c1"), result("c1", [{ type: "file", mimeType: "application/pdf", url: "https://a.test/a.pdf" }])],
    ],
    tools: [PLAIN],
  },
};

/** Errors are the answer to these; all others are sent. */
export const REFUSED_CONVERSATIONS: ReadonlySet<string> = new Set(["only blank messages", "300 tools"]);

/** By name. */
export const ODD_CONVERSATIONS = CONVERSATIONS as unknown as Readonly<Record<string, Context>>; // As others have them.
