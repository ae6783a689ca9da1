/** Hand-written responses of the Gemini API and of the two other apis with the same bodies. */
import type { KnownApi } from "pi-ai";
import type { Frame, HttpFixtures, WireResponse } from "../../conformance/http-target.js";
import type { ExpectedBlock } from "../../conformance/target.js";
import { PICTURE } from "../../handoff/script.js";
import { sseEvent } from "../../support/sse.js";

type Wrap = (chunk: object) => object;
type Part = Record<string, unknown>;

const USAGE = { promptTokenCount: 10, cachedContentTokenCount: 2, candidatesTokenCount: 4, thoughtsTokenCount: 1 };
const TOTAL = 15;
const PAGE = { url: "https://example.com/a", title: "A" };
/** Offsets are in bytes of UTF-8. */
const GROUNDING = {
  webSearchQueries: ["𝒳"],
  groundingChunks: [{ web: { uri: PAGE.url, title: PAGE.title } }],
  groundingSupports: [{ segment: { startIndex: 0, endIndex: 13, text: "𝒳 is here." }, groundingChunkIndices: [0] }],
};

export const googleGenerativeAI: HttpFixtures = createGoogleFixtures("google-generative-ai", (chunk) => chunk);

export function createGoogleFixtures(api: KnownApi, wrap: Wrap): HttpFixtures {
  return {
    name: api,
    model: (baseUrl) => ({
      id: "gemini-test",
      name: "Gemini Test",
      api,
      provider: "conformance",
      baseUrl,
      reasoning: true,
      input: ["text", "image"],
      cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 0 },
      contextWindow: 1_000_000,
      maxTokens: 8192,
    }),
    contentType: "text/event-stream",
    responses: buildResponses(wrap),
    unknownEvent: sseEvent(wrap({ hologram: { depth: 3 } })),
    keepAlive: ": keep-alive\n\n",
    malformedEvent: sseEvent('{"candidates":[{"content":{"parts":[{"text":"Hel'),
    errorEvent: (words) => sseEvent({ error: { code: 500, message: words, status: "INTERNAL" } }),
    errorBody: (words) => JSON.stringify({ error: { code: 500, message: words, status: "INTERNAL" } }),
    hasEndMarker: false,
  };
}

function buildResponses(wrap: Wrap): HttpFixtures["responses"] {
  const response = (content: ExpectedBlock[], parts: Part[]): WireResponse => toResponse(content, parts, wrap);
  return {
    text: response([{ type: "text", text: "Hello, world!" }], texts("Hel", "lo, ", "world!")),
    thinking: response(
      [
        { type: "thinking", thinking: "Let me see." },
        { type: "text", text: "Yes." },
      ],
      [{ text: "Let me", thought: true }, { text: " see.", thought: true }, ...texts("Y", "es.")],
    ),
    call: response([call({ path: "a.txt" })], [begin(), piece("a."), piece("txt"), end()]),
    parallelCalls: response(
      [call({ path: "a" }), call({})],
      [{ functionCall: { name: "read", args: { path: "a" } } }, { functionCall: { name: "read" } }],
    ),
    unicode: response(
      [{ type: "text", text: "Grüße, 世界 👩‍👩‍👧 𝒳" }, call({ path: "naïve/🌍.txt" })],
      [...texts("Grüße, 世", "界 👩‍👩‍👧", " 𝒳"), begin(), piece("naïve/"), piece("🌍.txt"), end()],
    ),
    citation: toResponse(
      [
        { type: "text", text: "𝒳 is here.", citations: [{ ...PAGE, start: 0, end: 11 }] },
        { type: "serverTool", name: "web_search", status: "done", output: { sources: [PAGE] } },
      ],
      texts("𝒳 is ", "here."),
      wrap,
      { groundingMetadata: GROUNDING },
    ),
    serverTool: response(
      [
        {
          type: "serverTool",
          name: "code_execution",
          status: "done",
          input: { language: "PYTHON", code: 'print("👋")' },
          output: { stdout: "👋\n" },
        },
      ],
      [
        { executableCode: { language: "PYTHON", code: 'print("👋")' } },
        { codeExecutionResult: { outcome: "OUTCOME_OK", output: "👋\n" } },
      ],
    ),
    image: response(
      [{ type: "image", data: PICTURE, mimeType: "image/png" }],
      [{ inlineData: { mimeType: "image/png", data: PICTURE } }],
    ),
    file: response(
      [{ type: "file", data: "UklGRiQA", mimeType: "audio/wav" }],
      [{ inlineData: { mimeType: "audio/wav", data: "UklGRiQA" } }],
    ),
  };
}

/** One part per event; the last event has the reason and the counts. */
function toResponse(content: ExpectedBlock[], parts: Part[], wrap: Wrap, ending: object = {}): WireResponse {
  const chunks = parts.map((part) => ({ candidates: [{ content: { role: "model", parts: [part] } }] }));
  const candidate = { content: { role: "model", parts: [] }, finishReason: "STOP", ...ending };
  const last = { candidates: [candidate], usageMetadata: USAGE };
  const frames: Frame[] = [...chunks, last].map((chunk) => sseEvent(wrap({ ...chunk, responseId: "r1" })));
  return { content, totalTokens: TOTAL, frames };
}

function call(args: Record<string, unknown>): ExpectedBlock {
  return { type: "toolCall", name: "read", arguments: args };
}

function texts(...pieces: string[]): Part[] {
  return pieces.map((text) => ({ text }));
}

function begin(): Part {
  return { functionCall: { name: "read", willContinue: true } };
}

function piece(stringValue: string): Part {
  return {
    functionCall: { partialArgs: [{ jsonPath: "$.path", stringValue, willContinue: true }], willContinue: true },
  };
}

function end(): Part {
  return { functionCall: {} };
}
