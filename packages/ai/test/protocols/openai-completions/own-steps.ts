/**
 * Sources, tools and media of chat servers: OpenAI "Web search" and "Audio", OpenRouter "Image generation" and "PDF
 * inputs", Groq "Compound" (all 2026-11).
 */
import { type OwnSteps, PICTURE, plainId, UNKNOWN } from "../../handoff/script.js";

const LATE = 4_102_444_800; // 2100

/** The deltas. */
export const completionsOwnSteps: OwnSteps<object[]> = {
  tool: (key) => {
    const results = [{ title: "A", url: "https://example.com/a", content: "42", score: 0.9 }];
    const search = { index: 0, type: "search", arguments: '{"query":"number"}' };
    const parsed = { hash: plainId(32, key), name: "report.pdf", content: [{ type: "text", text: "42" }] };
    return [
      { executed_tools: [search] },
      { executed_tools: [{ ...search, output: "It is 42.", search_results: { results } }] },
      { annotations: [{ type: "file", file: parsed }] },
    ];
  },
  citation: () => {
    const page = { url: "https://example.com/a", title: "A", content: "42", start_index: 0, end_index: 6 };
    return [{ content: "A says 42." }, { annotations: [{ type: "url_citation", url_citation: page }] }];
  },
  image: () => [{ images: [{ type: "image_url", image_url: { url: `data:image/png;base64,${PICTURE}` } }] }],
  file: (key) => {
    const id = `audio_${plainId(20, key)}`;
    return [{ audio: { id, data: "AAAA" } }, { audio: { transcript: "Forty-two." } }, { audio: { expires_at: LATE } }];
  },
  unknown: (_key, data) => [{ content: [{ type: UNKNOWN, data, depth: 3 }] }],
};
