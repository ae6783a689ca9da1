/** Features of Google's api beside answering: tools that it runs, and files that models accept. */
import type { FileRow, ServerToolRows } from "../../request/index.js";

const PROVIDERS = ["google", "google-vertex"];

/** ai.google.dev, "Grounding with Google Search", "Code execution", "File Search", "Tool combination", 2026-11. */
export const GOOGLE_TOOLS: ServerToolRows = {
  combined: { toolConfig: { includeServerSideToolInvocations: true } },
  combines: /gemini-([3-9]|flash-latest|pro-latest)/,
  tools: {
    webSearch: {
      providers: PROVIDERS,
      models: /gemini-([2-9]|flash|pro)/,
      refused: ["allowedDomains", "blockedDomains"],
      declare: ({ maxUses }) => ({
        tools: [{ googleSearch: {} }],
        ignored: maxUses === undefined ? [] : ["maxUses"],
      }),
    },
    codeExecution: {
      providers: PROVIDERS,
      models: /gemini-([2-9]|flash|pro)/,
      declare: () => ({ tools: [{ codeExecution: {} }] }),
    },
    fileSearch: {
      providers: ["google"],
      models: /gemini-(2\.5|[3-9]|flash|pro)/,
      declare: ({ storeIds, maxResults }) => ({
        tools: [
          {
            fileSearch: { fileSearchStoreNames: storeIds, ...(maxResults === undefined ? {} : { topK: maxResults }) },
          },
        ],
      }),
    },
  },
};

/** Vertex has no switch for both kinds of tools (types of @google/genai 2.13: "not supported in Vertex AI"). */
export const VERTEX_TOOLS: ServerToolRows = { ...GOOGLE_TOOLS, combines: /(?!)/ };

/** cloud.google.com, "Gemini 2.5 Flash" and "Gemini 2.5 Flash Image", Supported inputs, 2026-11: the latter has no audio and video. */
export const GOOGLE_FILES: readonly FileRow[] = [
  // "Unsupported MIME type: application/vnd.openxmlformats-officedocument.wordprocessingml.document"
  // (googleapis/python-genai#829, 2025-05).
  { models: /gemini/, kinds: ["pdf"], documents: ["application/pdf"] },
  { models: /gemini(?!.*(-image|nano-banana))/, kinds: ["audio", "video"] },
];
