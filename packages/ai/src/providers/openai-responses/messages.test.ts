import { expect, test } from "vitest";
import { createResponse } from "../../../test/messages.js";
import { createModel } from "../../../test/models.js";
import { checkOpenAIResponses } from "../../../test/protocols/openai-responses/validator.js";
import { Faults } from "../../../test/validators/faults.js";
import type { FileContent, Message, UserBlock } from "../../types/message.js";
import type { Model } from "../../types/model.js";
import { buildResponsesRequest } from "./request.js";

const MODEL = createModel("openai-responses", { reasoning: false, input: ["text", "image", "pdf", "audio"] });
const PDF = { type: "file" as const, mimeType: "application/pdf" };

function inputOf(messages: Message[], model: Partial<Model> = {}): Record<string, unknown>[] {
  const target = { ...MODEL, ...model };
  const { body } = buildResponsesRequest({
    model: target,
    context: { messages },
    options: {},
    apiKey: "k",
    keyIsBearer: true,
  });
  const faults = new Faults();
  checkOpenAIResponses({ ...Object(body) }, target, faults);
  expect(faults.list).toEqual([]);
  return Reflect.get(Object(body), "input");
}

test("items have one id each, although the server counts those of each response anew", () => {
  const answer = createResponse({
    ...{ api: MODEL.api, provider: MODEL.provider, model: MODEL.id },
    content: [
      {
        type: "thinking",
        thinking: "Hm",
        thinkingSignature: '{"type":"reasoning","id":"rs_0","summary":[],"encrypted_content":"x"}',
      },
      { type: "text", text: "Hi", textSignature: "msg_0" },
      call("call_1|fc_0"),
    ],
  });
  const again = { ...answer, content: [...answer.content.slice(0, 2), call("call_2|fc_0")] };
  const messages = [user([{ type: "text", text: "Hi" }]), answer, result("call_1|fc_0"), again, result("call_2|fc_0")];
  const ids = inputOf(messages).map(({ type, id, call_id: called }) => [type, id ?? called]);
  expect(ids).toEqual([
    [undefined, undefined],
    ["reasoning", "rs_0"],
    ["message", "msg_0"],
    ["function_call", "fc_0"],
    ["function_call_output", "call_1"],
    ["reasoning", "rs_0_2"],
    ["message", "msg_0_2"],
    ["function_call", "call_2"],
    ["function_call_output", "call_2"],
  ]);
});

const user = (content: UserBlock[]): Message => ({ role: "user", content, timestamp: 1 });
const call = (id: string) => ({ type: "toolCall", id, name: "look", arguments: {} }) as const;
const result = (toolCallId: string): Message => ({
  ...{ role: "toolResult", toolCallId, toolName: "look", isError: false, timestamp: 1 },
  content: [{ type: "text", text: "Seen" }],
});

test.each<[string, FileContent, object]>([
  [
    "data",
    { ...PDF, data: "AAAA", name: "a.pdf" },
    { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" },
  ],
  [
    "data without a name",
    { ...PDF, data: "AAAA" },
    { type: "input_file", filename: "file.pdf", file_data: "data:application/pdf;base64,AAAA" },
  ],
  [
    "an address",
    { ...PDF, url: "https://a.example/a.pdf" },
    { type: "input_file", file_url: "https://a.example/a.pdf" },
  ],
  ["an id", { ...PDF, fileId: "file-1" }, { type: "input_file", file_id: "file-1" }],
  [
    "text",
    { type: "file", mimeType: "text/plain", data: "AAAA" },
    { type: "input_file", filename: "file.txt", file_data: "data:text/plain;base64,AAAA" },
  ],
  [
    "an image by address",
    { type: "file", mimeType: "image/png", url: "https://a.example/a.png" },
    { type: "input_image", detail: "auto", image_url: "https://a.example/a.png" },
  ],
  [
    "an image by id",
    { type: "file", mimeType: "image/png", fileId: "file-2" },
    { type: "input_image", detail: "auto", file_id: "file-2" },
  ],
  [
    "an image's data",
    { type: "file", mimeType: "image/png", data: "AAAA" },
    { type: "input_image", detail: "auto", image_url: "data:image/png;base64,AAAA" },
  ],
  [
    "audio, which the API does not take",
    { type: "file", mimeType: "audio/wav", data: "AAAA", name: "a.wav" },
    { type: "input_text", text: "[file: a.wav, audio/wav]" },
  ],
])("a file in a user message: %s", (_name, file, part) => {
  expect(inputOf([user([file])])).toEqual([{ role: "user", content: [part] }]);
});

test("a file in a tool result is a part of the output", () => {
  const call: Message = {
    role: "assistant",
    content: [{ type: "toolCall", id: "call_1|fc_1", name: "look", arguments: {} }],
    api: MODEL.api,
    provider: MODEL.provider,
    model: MODEL.id,
    usage: {
      input: 0,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 0,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: "toolUse",
    timestamp: 2,
  };
  const content: UserBlock[] = [
    { type: "text", text: "Found:" },
    { ...PDF, data: "AAAA", name: "a.pdf" },
  ];
  const result: Message = {
    role: "toolResult",
    toolCallId: "call_1|fc_1",
    toolName: "look",
    content,
    isError: false,
    timestamp: 3,
  };
  expect(inputOf([user([{ type: "text", text: "Look." }]), call, result])[2]).toEqual({
    type: "function_call_output",
    call_id: "call_1",
    output: [
      { type: "input_text", text: "Found:" },
      { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" },
    ],
  });
});

// 30 MB each, as base64.
const LARGE: FileContent = { ...PDF, data: "A".repeat(40 * 1024 * 1024) };

test("a file that is too large, or too many images, fail before anything is sent", () => {
  const tooLarge: FileContent = { ...PDF, name: "a.pdf", data: "A".repeat(68 * 1024 * 1024) };
  expect(() => inputOf([user([tooLarge])])).toThrow(
    "The file a.pdf is 51.0 MB; the API accepts at most 50 MB. Upload larger files and pass their ids or URLs.",
  );
  expect(() => inputOf([user([LARGE]), user([LARGE])])).toThrow("The files of this request are 60.0 MB");
  const image = { type: "image" as const, data: "AAAA", mimeType: "image/png" };
  expect(() => inputOf([user(Array(1501).fill(image))])).toThrow(
    "This request has 1501 images; openai accepts at most 1500.",
  );
});

test("the limits of other servers are not checked", () => {
  const [sent] = inputOf([user([{ type: "image", data: "AAAA", mimeType: "image/png" }])], { provider: "__proto__" });
  expect(sent).toMatchObject({ content: [{ type: "input_image" }] });
});
