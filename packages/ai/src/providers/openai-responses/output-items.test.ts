import { expect, test } from "vitest";
import { createModel } from "../../../test/models.js";
import { assemble } from "../../../test/support/assemble.internal.js";
import { resolveResponsesFlags } from "../../catalogue/compat/openai-responses.js";
import type { AssistantMessage, Message } from "../../types/message.js";
import { buildResponsesRequest } from "./request.js";
import { createResponsesMapping } from "./stream.js";

const MODEL = createModel("openai-responses", { id: "grok-x", provider: "xai", baseUrl: "https://api.x.ai/v1" });

type Wire = Record<string, unknown>;

const PAGE = { type: "url_citation", url: "https://a.example", title: "A", start_index: 2, end_index: 4 };
const FILE = { type: "container_file_citation", container_id: "cntr_1", file_id: "cfile_1", filename: "a.csv" };

const added = { type: "response.output_item.added", output_index: 0, item: { type: "message", id: "msg_1" } };
const delta = (text: string): Wire => ({ type: "response.output_text.delta", output_index: 0, delta: text });
const annotated = (annotation_index: number, annotation: Wire): Wire => ({
  type: "response.output_text.annotation.added",
  output_index: 0,
  content_index: 0,
  annotation_index,
  annotation,
});
const complete = (text: string): Wire => ({
  type: "response.output_text.done",
  output_index: 0,
  content_index: 0,
  text,
});
const done = (...content: Wire[]): Wire => ({
  type: "response.output_item.done",
  output_index: 0,
  item: { type: "message", id: "msg_1", content },
});
const part = (text: string, annotations: Wire[], more: Wire = {}): Wire => ({
  type: "output_text",
  text,
  annotations,
  ...more,
});

function run(...events: Wire[]): ReturnType<typeof assemble> {
  const mapping = createResponsesMapping("xai", resolveResponsesFlags(MODEL), undefined);
  return assemble(mapping, [added, ...events, { type: "response.completed", response: {} }], MODEL);
}

function citationsOf({ content: [block] }: AssistantMessage): unknown {
  return block?.type === "text" ? block.citations : undefined;
}

/** The content of the message in the next request. */
function sendBack(message: AssistantMessage): unknown {
  const messages: Message[] = [{ role: "user", content: "Hello", timestamp: 1 }, message];
  const { body } = buildResponsesRequest({
    model: MODEL,
    context: { messages },
    options: {},
    apiKey: "k",
    keyIsBearer: true,
  });
  return Reflect.get(Object(body), "input")[1].content;
}

test("a source becomes one citation when its text is complete, with positions in UTF-16 units", () => {
  // The server counts a character outside the basic plane as one.
  const { message, events } = run(
    delta("𝒳 "),
    annotated(0, PAGE),
    delta("ab"),
    complete("𝒳 ab"),
    done(part("𝒳 ab", [PAGE])),
  );
  expect(events).toEqual(["start", "text_start", "text_delta", "text_delta", "citation", "text_end", "done"]);
  expect(citationsOf(message)).toEqual([
    { url: "https://a.example", title: "A", start: 3, end: 5, signature: JSON.stringify(PAGE) },
  ]);
  expect(sendBack(message)).toEqual([part("𝒳 ab", [PAGE])]);
});

test("a source that only the complete item contains is not lost", () => {
  const { message } = run(delta("Yes."), annotated(0, PAGE), complete("Yes."), done(part("Yes.", [PAGE, FILE])));
  expect(citationsOf(message)).toMatchObject([
    { url: "https://a.example", start: 2, end: 4 },
    { title: "a.csv", source: "cntr_1/cfile_1" },
  ]);
});

test("positions in a later part count from the beginning of the block", () => {
  const { message } = run(delta("One. "), done(part("One. ", []), part("Two.", [PAGE])));
  expect(citationsOf(message)).toEqual([{ url: "https://a.example", title: "A", start: 7, end: 9 }]);
  expect(sendBack(message)).toEqual([part("One. Two.", [])]);
});

test.each([
  ["outside the text", { ...PAGE, end_index: 99 }],
  ["that are not numbers", { ...PAGE, start_index: "2" }],
  ["that are negative", { ...PAGE, start_index: -1 }],
])("positions %s are omitted", (_name, annotation) => {
  const { message } = run(delta("Yes."), complete("Yes."), done(part("Yes.", [annotation])));
  expect(citationsOf(message)).toEqual([
    { url: "https://a.example", title: "A", signature: JSON.stringify(annotation) },
  ]);
});

test("a source of a truncated text has no position", () => {
  const { message } = run(delta("Yes."), annotated(0, PAGE));
  expect(citationsOf(message)).toEqual([{ url: "https://a.example", title: "A", signature: JSON.stringify(PAGE) }]);
});

test("log probabilities become a diagnostic", () => {
  const logprobs = [{ token: "Yes", logprob: -0.1, bytes: [], top_logprobs: [] }];
  const { message } = run(delta("Yes"), complete("Yes"), done(part("Yes", [], { logprobs })));
  expect(message.diagnostics).toMatchObject([{ type: "logprobs", details: { logprobs } }]);
  expect(run(delta("Yes"), done(part("Yes", [], { logprobs: [] }))).message.diagnostics).toBeUndefined();
});

test("thousands of sources in a long text take linear time", () => {
  const text = "𝒳".repeat(20_000);
  const sources = Array.from({ length: 2000 }, (_, index) => ({ ...PAGE, start_index: index, end_index: index + 4 }));
  const { message } = run(delta(text), done(part(text, sources)));
  expect(citationsOf(message)).toHaveLength(2000);
  expect(citationsOf(message)).toMatchObject({ 1999: { start: 3998, end: 4006 } });
});
