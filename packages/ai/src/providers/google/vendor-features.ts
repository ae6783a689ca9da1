/** The tools that Google runs. */
import type { ServerToolRows } from "../../request/index.js";

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
