/** References, files and images in the content of Mistral's responses (docs.mistral.ai, "Citations", "Connectors", 2026-11). */
import { type OwnSteps, PICTURE, plainId, UNKNOWN } from "../../handoff/script.js";

/** The parts of a delta's content. */
export const mistralOwnSteps: OwnSteps<object[]> = {
  citation: () => [
    { type: "text", text: "A says 42." },
    { type: "reference", reference_ids: [0, 1] },
    { type: "tool_reference", tool: "web_search", title: "A", url: "https://example.com/a", source: "brave" },
  ],
  image: () => [{ type: "image_url", image_url: `data:image/png;base64,${PICTURE}` }],
  file: (key) => [
    { type: "tool_file", tool: "code_interpreter", file_id: plainId(20, key), file_name: "a", file_type: "csv" },
  ],
  unknown: (_key, data) => [{ type: UNKNOWN, data, depth: 3 }],
};
