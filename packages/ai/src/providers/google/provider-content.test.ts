import { describe, expect, test } from "vitest";
import { createModel } from "../../../test/models.js";
import { type Assembled, assemble } from "../../../test/support/assemble.internal.js";
import { resolveGoogleFlags } from "../../catalogue/compat/google.js";
import { transformMessages } from "../../request/handoff/transform-messages.js";
import type { AssistantMessage } from "../../types/message.js";
import { utf16Offsets } from "./cited-text.js";
import { toWireContents } from "./messages.js";
import { createGoogleMapping } from "./stream.js";

const MODEL = createModel("google-generative-ai", { input: ["text", "image"] });

type Part = Record<string, unknown>;

function chunk(parts: Part[], fields: object = {}): object {
  return { candidates: [{ content: { role: "model", parts }, ...fields }] };
}

/** One chunk for each part; the fields arrive with the finish reason. */
function run(parts: Part[], fields: object = {}): Assembled {
  const chunks = [...parts.map((part) => chunk([part])), chunk([], { finishReason: "STOP", ...fields })];
  return assemble(createGoogleMapping("google"), chunks, MODEL);
}

/** The parts that are sent back to the model. */
function sentBack(message: AssistantMessage): unknown {
  const flags = resolveGoogleFlags(MODEL);
  const wire = toWireContents(transformMessages([message], MODEL), flags);
  return wire.find(({ role }) => role === "model")?.parts;
}

describe("server tools", () => {
  const CODE = { executableCode: { id: "x1", language: "PYTHON", code: "print(6*7)" }, thoughtSignature: "c2lnMQ==" };
  const RESULT = {
    codeExecutionResult: { id: "x1", outcome: "OUTCOME_OK", output: "42\n" },
    thoughtSignature: "c2lnMg==",
  };

  test("code and its result form one block", () => {
    const { message, events } = run([CODE, RESULT, { text: "42" }]);
    expect(message.content).toMatchObject([
      {
        type: "serverTool",
        id: "x1",
        name: "code_execution",
        status: "done",
        input: { language: "PYTHON", code: "print(6*7)" },
        output: { outcome: "OUTCOME_OK", stdout: "42\n" },
      },
      { type: "text", text: "42" },
    ]);
    expect(events.slice(0, 3)).toEqual(["start", "servertool_start", "servertool_update"]);
    expect(message.stopReason).toBe("stop");
  });

  test.each([
    ["code", [CODE, RESULT, { text: "42" }]],
    ["text between code and result", [CODE, { text: "hm", thought: true }, RESULT, { text: "42" }]],
    ["a result without its code", [RESULT, { text: "42" }]],
    ["code without a result", [CODE, { text: "42" }]],
    ["two uses", [CODE, RESULT, { ...CODE, executableCode: { code: "1" } }, { codeExecutionResult: { output: "1" } }]],
    [
      "server-side tools",
      [
        { toolCall: { id: "t1", toolType: "GOOGLE_SEARCH_WEB", args: { q: "x" } }, thoughtSignature: "c2lnMQ==" },
        { toolCall: { id: "t2", toolType: "URL_CONTEXT" } },
        { toolResponse: { id: "t1", toolType: "GOOGLE_SEARCH_WEB", response: { a: 1 } } },
        { toolResponse: { id: "t2", toolType: "URL_CONTEXT" }, thoughtSignature: "c2lnMg==" },
        { text: "done" },
      ],
    ],
    ["a part of an unknown kind", [{ hologram: { id: "h1", shape: "cube" }, thoughtSignature: "c2ln" }, { text: "!" }]],
    ["an image", [{ inlineData: { mimeType: "image/png", data: "aGk=" }, thoughtSignature: "c2ln" }]],
    ["an image of a thought", [{ thought: true, inlineData: { mimeType: "image/png", data: "aGk=" } }, { text: "!" }]],
    ["audio", [{ inlineData: { mimeType: "audio/wav", data: "aGk=" } }]],
    ["a file by address", [{ fileData: { mimeType: "video/mp4", fileUri: "gs://bucket/a.mp4" } }]],
    ["an empty signed part", [{ text: "Hello" }, { text: "", thoughtSignature: "c2ln" }]],
    ["a signed part within a text", [{ text: "a" }, { text: "b", thoughtSignature: "c2ln" }, { text: "c" }]],
    [
      "an empty signed thought",
      [
        { text: "a", thought: true },
        { text: "", thought: true, thoughtSignature: "c2ln" },
      ],
    ],
  ])("%s: is sent back unchanged", (_name, parts) => {
    expect(sentBack(run(parts).message)).toEqual(parts);
  });

  test("failed code shows its output as the error", () => {
    const { message } = run([
      CODE,
      { codeExecutionResult: { id: "x1", outcome: "OUTCOME_FAILED", output: "NameError" } },
    ]);
    expect(message.content).toMatchObject([
      { status: "failed", errorText: "NameError", output: { stderr: "NameError" } },
    ]);
  });

  test("thought signatures appear only in the block's signature", () => {
    const { message } = run([CODE, RESULT]);
    const { signature, ...shown } = message.content[0] as { signature?: string }; // the block is a server tool
    expect(signature).toContain("c2lnMQ==");
    expect(JSON.stringify(shown)).not.toContain("c2ln");
  });
});

describe("sources", () => {
  const chunks = [{ web: { uri: "https://a.example", title: "A" } }, { web: { uri: "https://b.example", title: "B" } }];

  function grounded(parts: Part[], supports: object[], fields: object = {}): AssistantMessage {
    const groundingMetadata = { groundingChunks: chunks, groundingSupports: supports, ...fields };
    return run(parts, { groundingMetadata }).message;
  }

  test("offsets in bytes become offsets in UTF-16 units", () => {
    const text = "Zürich 🏔 liegt schön.";
    const startIndex = Buffer.byteLength("Zürich 🏔 ");
    const endIndex = Buffer.byteLength("Zürich 🏔 liegt schön");
    const message = grounded([{ text }], [{ segment: { startIndex, endIndex }, groundingChunkIndices: [1] }]);
    const start = text.indexOf("liegt");
    const end = text.indexOf(".");
    expect(message.content[0]).toMatchObject({ citations: [{ url: "https://b.example", title: "B", start, end }] });
  });

  test("a support that spans blocks cites each of them", () => {
    const parts = [{ text: "one " }, { executableCode: { code: "1" } }, { text: "two" }];
    const message = grounded(parts, [{ segment: { endIndex: 6, text: "one tw" }, groundingChunkIndices: [0] }]);
    expect(message.content[0]).toMatchObject({ citations: [{ url: "https://a.example", start: 0, end: 4 }] });
    expect(message.content[2]).toMatchObject({ citations: [{ url: "https://a.example", start: 0, end: 2 }] });
  });

  test("the text of a segment corrects a wrong offset", () => {
    const segment = { startIndex: 3, endIndex: 5, text: "world" };
    const message = grounded([{ text: "Hello world" }], [{ segment, groundingChunkIndices: [0, 1, 9] }]);
    expect(message.content[0]).toMatchObject({
      citations: [
        { url: "https://a.example", start: 6, end: 11 },
        { url: "https://b.example", start: 6, end: 11 },
      ],
    });
  });

  test("a search becomes a server tool after the text, and is not sent back", () => {
    const fields = { webSearchQueries: ["q1", "q2"], searchEntryPoint: { renderedContent: "<div>" } };
    const message = grounded([{ text: "Hi" }], [], fields);
    expect(message.content[1]).toMatchObject({
      type: "serverTool",
      name: "web_search",
      status: "done",
      input: { queries: ["q1", "q2"] },
      output: {
        sources: [
          { url: "https://a.example", title: "A" },
          { url: "https://b.example", title: "B" },
        ],
        searchEntryPoint: { renderedContent: "<div>" },
      },
      signature: "[]",
    });
    expect(sentBack(message)).toEqual([{ text: "Hi" }]);
  });

  test("metadata of a tool is added to the tool's block", () => {
    const call = { toolCall: { id: "t1", toolType: "GOOGLE_SEARCH_WEB" } };
    const response = { toolResponse: { id: "t1", toolType: "GOOGLE_SEARCH_WEB" } };
    const message = grounded([call, response, { text: "Hi" }], [], { webSearchQueries: ["q"] });
    expect(message.content).toHaveLength(2);
    expect(message.content[0]).toMatchObject({ id: "t1", input: { queries: ["q"] }, output: { sources: [{}, {}] } });
    expect(sentBack(message)).toEqual([call, response, { text: "Hi" }]);
  });

  test("files, places and loaded URLs keep all fields of the wire", () => {
    const retrieved = { text: "Paris.", title: "doc", fileSearchStore: "fileSearchStores/1", pageNumber: 3 };
    const place = { uri: "https://maps.example", title: "Louvre", placeId: "places/1" };
    const { message } = run([{ text: "Hi" }], {
      groundingMetadata: {
        groundingChunks: [{ retrievedContext: retrieved }, { maps: place }],
        groundingSupports: [{ segment: { endIndex: 2 }, groundingChunkIndices: [0, 1] }],
        googleMapsWidgetContextToken: "token",
      },
      urlContextMetadata: {
        urlMetadata: [{ retrievedUrl: "https://c.example", urlRetrievalStatus: "URL_RETRIEVAL_STATUS_ERROR" }],
      },
    });
    expect(message.content).toMatchObject([
      {
        citations: [
          { title: "doc", quote: "Paris.", source: "fileSearchStores/1" },
          { url: "https://maps.example", title: "Louvre", source: "places/1" },
        ],
      },
      { name: "file_search", output: { groundingChunks: [{ retrievedContext: retrieved }] } },
      { name: "google_maps", output: { googleMapsWidgetContextToken: "token" } },
      { name: "url_context", output: { sources: [{ url: "https://c.example" }], urlMetadata: [{}] } },
    ]);
  });

  test("repeated metadata counts once", () => {
    const groundingMetadata = {
      webSearchQueries: ["q"],
      groundingChunks: chunks,
      groundingSupports: [{ segment: { endIndex: 2 }, groundingChunkIndices: [0] }],
    };
    const events = [
      chunk([{ text: "Hi" }], { groundingMetadata }),
      chunk([{ text: "!" }], { groundingMetadata, finishReason: "STOP" }),
      chunk([], { groundingMetadata, finishReason: "STOP" }),
    ];
    const { message } = assemble(createGoogleMapping("google"), events, MODEL);
    expect(message.content).toMatchObject([
      { text: "Hi!", citations: [{ start: 0, end: 2 }] },
      { name: "web_search", output: { sources: [{}, {}] } },
    ]);
    expect(message.content).toHaveLength(2);
  });

  test.each(["citations", "citationSources"])("%s cite the text", (name) => {
    const list = [{ startIndex: 1, endIndex: 3, uri: "https://a.example", license: "MIT" }];
    const { message } = run([{ text: "abcd" }], { citationMetadata: { [name]: list } });
    expect(message.content).toEqual([
      {
        type: "text",
        text: "abcd",
        citations: [{ url: "https://a.example", start: 1, end: 3, signature: JSON.stringify(list[0]) }],
      },
    ]);
  });

  test.each([
    [{ groundingMetadata: 5, citationMetadata: "x", urlContextMetadata: [] }],
    [{ groundingMetadata: { groundingChunks: [null, 5, {}, { web: 5 }], groundingSupports: [null, { segment: 5 }] } }],
    [{ citationMetadata: { citations: [null, 5] }, urlContextMetadata: { urlMetadata: [null] } }],
    [
      {
        groundingMetadata: { __proto__: null, groundingSupports: [{ groundingChunkIndices: ["__proto__", -1, 1e9] }] },
      },
    ],
  ])("malformed metadata is ignored: %j", (fields) => {
    const { message } = run([{ text: "a" }], fields);
    expect(message.content[0]).toEqual({ type: "text", text: "a" });
    expect(message.stopReason).toBe("stop");
  });

  test("an offset inside a character maps to its end", () => {
    expect([...utf16Offsets("é🏔a", [0, 1, 2, 3, 6, 7, 9])]).toEqual([
      [0, 0],
      [1, 1],
      [2, 1],
      [3, 3],
      [6, 3],
      [7, 4],
    ]);
  });
});

describe("diagnostics", () => {
  test("safety ratings and log probabilities become one diagnostic each", () => {
    const ratings = [{ category: "HARM_CATEGORY_HARASSMENT", probability: "LOW" }];
    const events = [
      chunk([{ text: "a" }], { safetyRatings: [{}], logprobsResult: { chosenCandidates: [{ token: "a" }] } }),
      chunk([{ text: "b" }], { safetyRatings: ratings, logprobsResult: { chosenCandidates: [{ token: "b" }] } }),
      chunk([], { finishReason: "STOP" }),
    ];
    const { message } = assemble(createGoogleMapping("google"), events, MODEL);
    expect(message.diagnostics).toMatchObject([
      { type: "safety_ratings", details: { ratings } },
      { type: "logprobs", details: { chosenCandidates: [{ token: "a" }, { token: "b" }] } },
    ]);
  });

  test("a blocked prompt adds a diagnostic with the reason", () => {
    const ratings = [{ category: "HARM_CATEGORY_HARASSMENT", blocked: true }];
    const event = { promptFeedback: { blockReason: "SAFETY", safetyRatings: ratings } };
    const { message } = assemble(createGoogleMapping("google"), [event], MODEL);
    expect(message.diagnostics).toMatchObject([{ type: "safety_ratings", details: { ratings } }]);
  });
});
