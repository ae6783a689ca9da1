/** Google's tools, sources and media on the wire of generateContent (ai.google.dev, "Part", "GroundingMetadata", 2026-11). */
import { type OwnSteps, PICTURE, UNKNOWN } from "../../handoff/script.js";

/** The candidates of the chunks. */
export const googleOwnSteps: OwnSteps<object[]> = {
  tool: (_key, thoughtSignature) => [
    candidate({ executableCode: { language: "PYTHON", code: "print(42)" }, thoughtSignature }),
    candidate({ codeExecutionResult: { outcome: "OUTCOME_OK", output: "42\n" } }),
  ],
  failedTool: (_key, thoughtSignature) => [
    candidate({ executableCode: { language: "PYTHON", code: "1/0" }, thoughtSignature }),
    candidate({ codeExecutionResult: { outcome: "OUTCOME_FAILED", output: "ZeroDivisionError" } }),
  ],
  citation: () => [
    {
      ...candidate({ text: "A says 42." }),
      groundingMetadata: {
        webSearchQueries: ["number"],
        groundingChunks: [{ web: { uri: "https://example.com/a", title: "A" } }],
        groundingSupports: [{ segment: { text: "A says 42." }, groundingChunkIndices: [0] }],
      },
    },
  ],
  image: (_key, thoughtSignature) => [
    candidate({ inlineData: { mimeType: "image/png", data: PICTURE }, thoughtSignature }),
  ],
  file: (_key, thoughtSignature) => [
    candidate({ inlineData: { mimeType: "audio/wav", data: "UklGRiQAAABXQVZF" }, thoughtSignature }),
  ],
  unknown: (_key, data) => [candidate({ [UNKNOWN]: { data, depth: 3 } })],
};

function candidate(part: object): object {
  return { content: { role: "model", parts: [part] } };
}
