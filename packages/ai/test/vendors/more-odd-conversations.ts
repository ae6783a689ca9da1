/** Conversations at whose places something is blank, repeated, cut or of another type: as pages, stores and models leave them. */
import type { Context } from "pi-ai";
import { createResponse } from "../messages.js";

const HALF = "\ud83d";
const HI = { role: "user", content: "Hi", timestamp: 1 };
const PLAIN = { name: "plain", description: "Plain", parameters: { type: "object", properties: {} } };

const user = (content: unknown) => ({ role: "user", content, timestamp: 1 });
const text = (value: unknown) => ({ type: "text", text: value });
const said = (content: unknown, more: object = {}) => ({ ...createResponse({}), content, stopReason: "stop", ...more });
const call = (id: unknown, given: unknown = {}) => ({ type: "toolCall", id, name: "plain", arguments: given });
const called = (...calls: object[]) => said(calls, { stopReason: "toolUse" });
const result = (id: unknown, content: unknown = [text("ok")], more: object = {}) => ({
  ...{ role: "toolResult", toolCallId: id, toolName: "plain", content, isError: false, timestamp: 1 },
  ...more,
});
const thinking = (value: unknown, more: object = {}) => ({ type: "thinking", thinking: value, ...more });

type Given = Record<string, unknown>;

const withTools = (...messages: object[]): Given => ({ messages, tools: [PLAIN] });
const plain = (...messages: object[]): Given => ({ messages });

/** Answers that end without a text. */
const THOUGHTS: Readonly<Record<string, Given>> = Object.fromEntries(
  Object.entries({
    "a thought alone": [thinking("I think")],
    "a signed thought alone": [thinking("I think", { thinkingSignature: "c2lnbmVk" })],
    "an empty thought": [thinking("")],
    "a redacted thought": [thinking("", { redacted: true, thinkingSignature: "ZGF0YQ==" })],
    "two thoughts": [thinking("a"), thinking("b", { thinkingSignature: "c2ln" })],
    "a thought after a text": [text("Yes"), thinking("and now")],
    "a thought and a blank text": [thinking("I think"), text(" \n")],
    "half a thought": [thinking(`I think ${HALF}`)],
    "a thought whose signature is no text": [thinking("I think", { thinkingSignature: 5 })],
    "a thought that is null": [thinking(null)],
  }).flatMap(([name, content]): [string, Given][] => [
    [`${name}, in the middle`, plain(HI, said(content), HI)],
    [`${name}, cut by the limit`, plain(HI, said(content, { stopReason: "length" }), user("Go on"))],
    [`${name}, before a call`, withTools(HI, said([...content, call("c1")], { stopReason: "toolUse" }), result("c1"))],
    [`${name}, twice`, plain(HI, said(content), said(content), HI)],
  ]),
);

/** Answers that another model has paused, or whose server tool waits there: nothing goes on with them here. */
const PAUSED: Readonly<Record<string, Given>> = Object.fromEntries(
  Object.entries({
    "a text": [text("I look")],
    "a thought": [thinking("I think")],
    "a search": [text("I look"), { type: "serverTool", id: "s1", name: "web_search", input: {}, status: "running" }],
    "a tool that waits": [{ type: "serverTool", id: "s1", name: "look", input: {}, status: "waiting" }],
    nothing: [],
  }).flatMap(([name, content]): [string, Given][] => [
    [`${name}, paused by another model`, plain(HI, said(content, { stopReason: "pause" }))],
    [`${name}, paused twice`, plain(HI, ...[1, 2].map(() => said(content, { stopReason: "pause" })))],
  ]),
);

/** Blank messages at each place. */
const BLANKS: Readonly<Record<string, Given>> = Object.fromEntries(
  ["", " ", "\n\t", "\u200b", "\u00a0", HALF].flatMap((blank): [string, Given][] => {
    const name = JSON.stringify(blank);
    return [
      [`${name} first`, plain(user(blank), HI)],
      [`${name} in the middle`, plain(HI, said([text("x")]), user(blank), said([text("y")]), HI)],
      [`${name} last, after a response`, plain(HI, said([text("x")]), user(blank))],
      [`${name} last, after a result`, withTools(HI, called(call("c1")), result("c1"), user(blank))],
      [`${name} as a response`, plain(HI, said([text(blank)]), HI)],
      [
        `${name} before a call`,
        withTools(HI, said([text(blank), call("c1")], { stopReason: "toolUse" }), result("c1")),
      ],
      [`${name} as a result`, withTools(HI, called(call("c1")), result("c1", [text(blank)]))],
      [`${name} as a failed result`, withTools(HI, called(call("c1")), result("c1", [text(blank)], { isError: true }))],
      [`${name} beside a text`, plain(user([text(blank), text("Hi"), text(blank)]))],
      [`${name} as the prompt`, { systemPrompt: blank, messages: [HI] }],
    ];
  }),
);

/** The same call, id or result again, and calls without an end. */
const REPEATED: Readonly<Record<string, Given>> = {
  "a call twice in one response": withTools(HI, called(call("c1"), call("c1")), result("c1")),
  "a call twice with two results": withTools(HI, called(call("c1"), call("c1")), result("c1"), result("c1")),
  "an id of two calls": withTools(HI, called(call("c1", { a: 1 }), call("c1", { a: 2 })), result("c1"), result("c1")),
  "an id in two responses": withTools(HI, called(call("c1")), result("c1"), called(call("c1")), result("c1")),
  "an id in two responses, one without a result": withTools(
    HI,
    called(call("c1")),
    HI,
    called(call("c1")),
    result("c1"),
  ),
  "a result twice": withTools(HI, called(call("c1")), result("c1"), result("c1"), HI),
  "a result before its call": withTools(HI, result("c1"), called(call("c1")), HI),
  "a result of another id": withTools(HI, called(call("c1")), result("c2"), HI),
  "a result after another response": withTools(HI, called(call("c1")), said([text("x")]), result("c1"), HI),
  "no result, and a new question": withTools(HI, called(call("c1"), call("c2")), result("c2"), HI),
  "no result at all, last": withTools(HI, called(call("c1"), call("c2"))),
  "ids that differ in case": withTools(HI, called(call("C1"), call("c1")), result("c1"), result("C1")),
  "ids that differ after 64 letters": withTools(
    HI,
    called(call(`${"x".repeat(70)}1`), call(`${"x".repeat(70)}2`)),
    result(`${"x".repeat(70)}2`),
    result(`${"x".repeat(70)}1`),
  ),
  "ids that differ in signs": withTools(
    HI,
    called(call("a.b"), call("a b"), call("a_b")),
    result("a b"),
    result("a_b"),
    result("a.b"),
  ),
  "an id of 10,000 letters": withTools(HI, called(call("i".repeat(10_000))), result("i".repeat(10_000))),
  "a number as an id": withTools(HI, called(call(7)), result(7)),
  "a number and its text": withTools(HI, called(call(7), call("7")), result("7"), result(7)),
  "false as an id": withTools(HI, called(call(false)), result(false)),
  "40 calls in one response": withTools(
    HI,
    called(...Array.from({ length: 40 }, (_, index) => call(`c${index}`))),
    ...Array.from({ length: 40 }, (_, index) => result(`c${39 - index}`)),
  ),
  "a call with a result in two messages of pictures": withTools(
    HI,
    called(call("c1")),
    result("c1", []),
    user([text("See"), text("")]),
  ),
  "arguments of a list": withTools(HI, called(call("c1", [])), result("c1")),
  "arguments of a text": withTools(HI, called(call("c1", "a")), result("c1")),
  "arguments that are blank": withTools(HI, called(call("c1", "")), result("c1")),
  "arguments of a number": withTools(HI, called(call("c1", 5)), result("c1")),
  "arguments with a name of a prototype": withTools(
    HI,
    called(call("c1", JSON.parse('{"__proto__":{"a":1}}'))),
    result("c1"),
  ),
  "arguments of 300,000 letters": withTools(HI, called(call("c1", { a: "x".repeat(300_000) })), result("c1")),
  "arguments 60 levels deep": withTools(
    HI,
    called(
      call(
        "c1",
        Array.from({ length: 60 }).reduce<object>((inner) => ({ inner }), {}),
      ),
    ),
    result("c1"),
  ),
};

/** Messages that say something in another form. */
const FORMS: Readonly<Record<string, Given>> = {
  "only a prompt of the system, and a blank": { systemPrompt: "You help.", messages: [user(" ")] },
  "a response that failed, last": plain(HI, said([], { stopReason: "error", errorMessage: "boom" })),
  "a response that failed, in the middle": plain(
    HI,
    said([text("ha")], { stopReason: "error", errorMessage: "x" }),
    HI,
  ),
  "an aborted response": plain(HI, said([text("ha")], { stopReason: "aborted" }), user("Go on")),
  "an aborted call": withTools(HI, said([call("c1")], { stopReason: "aborted" }), user("Go on")),
  "only responses": plain(said([text("a")]), said([text("b")])),
  "five messages of a user": plain(HI, HI, HI, HI, HI),
  "a text with lone surrogates at the edges of chunks": plain(
    user(`${"a".repeat(65_535)}${HALF}${"b".repeat(65_535)}\udc00`),
  ),
  "a text of 400,000 emoji": plain(user("🙂".repeat(100_000))),
  "a text of control characters": plain(user("\u0000\u0001\u001b[31m\u007f\u0085\u2028\u2029\ufeff\uffff")),
  "a text that looks like a data URL": plain(user("data:image/png;base64,iVBORw0KGgo=")),
  "a text that looks like a call": plain(user('<tool_call>{"name":"plain"}</tool_call><|im_end|>')),
  "a name of a message": plain({ ...HI, name: "Ada Lovelace!" }),
  "unknown fields": plain({ ...HI, id: "m1", metadata: { a: 1 }, cache_control: { type: "ephemeral" } }),
  "no usage": plain(HI, { ...said([text("x")]), usage: undefined }, HI),
  "no timestamp": plain({ role: "user", content: "Hi" }),
  "a stop reason that nobody knows": plain(HI, said([text("x")], { stopReason: "paused" }), HI),
  "no api": plain(
    HI,
    {
      ...said([text("x"), thinking("t", { thinkingSignature: "s" })]),
      api: undefined,
      provider: undefined,
      model: undefined,
    },
    HI,
  ),
  "a text that is null": plain(HI, said([text(null)]), HI),
  "a text that is a number": plain(HI, said([text(5)]), HI),
  "a text of a user that is a number": plain(user([text(5)]), said([text(true)]), user([text(6), text("a")])),
  "a result that is a number": withTools(HI, called(call("c1")), result("c1", [text(0)])),
  "a block that nobody knows": plain(HI, said([{ type: "hologram", data: "x" }, text("x")]), HI),
  "a result of a block that nobody knows": withTools(
    HI,
    called(call("c1")),
    result("c1", [text("x"), { type: "hologram" }]),
  ),
  "a result of null": withTools(HI, called(call("c1")), result("c1", null)),
  "a result with details only": withTools(HI, called(call("c1")), result("c1", [], { details: { a: 1 } })),
  "an error with nothing": withTools(HI, called(call("c1")), result("c1", [], { isError: true })),
  "a result of 100 texts": withTools(
    HI,
    called(call("c1")),
    result(
      "c1",
      Array.from({ length: 100 }, () => text("a")),
    ),
  ),
  "a tool with a description of 3,000 letters": {
    messages: [HI],
    tools: [{ ...PLAIN, description: "Word. ".repeat(500) }],
  },
  "a tool with the name of one of ours": {
    messages: [HI],
    tools: [
      { ...PLAIN, name: "web_search" },
      { ...PLAIN, name: "json" },
    ],
  },
  "two tools of one name": { messages: [HI], tools: [PLAIN, { ...PLAIN, description: "Another" }] },
};

/** By name. */
export const MORE_CONVERSATIONS = { ...THOUGHTS, ...PAUSED, ...BLANKS, ...REPEATED, ...FORMS } as unknown as Readonly<
  Record<string, Context>
>; // As others have them.
