/** Features of Chat Completions beside answering: tools that they run, and files that models accept. */
import type { FileRow, ServerToolRows } from "../../request/index.js";

/** openrouter.ai/docs, "Web search", 2026-11: a plugin of the gateway, for every model. */
export const COMPLETIONS_TOOLS: ServerToolRows = {
  tools: {
    webSearch: {
      providers: ["openrouter"],
      declare: ({ maxUses, allowedDomains, blockedDomains }) => ({
        body: {
          plugins: [
            {
              id: "web",
              ...(allowedDomains ? { include_domains: allowedDomains } : {}),
              ...(blockedDomains ? { exclude_domains: blockedDomains } : {}),
            },
          ],
        },
        ignored: maxUses === undefined ? [] : ["maxUses"],
      }),
    },
  },
};

/** Above each row stands the vendor's page, read 2026-11. */
export const COMPLETIONS_FILES: readonly FileRow[] = [
  // developers.openai.com, "File inputs", 2026-11: models with vision; "Chat Completions accepts only PDF files".
  { providers: ["openai"], ifImages: true, kinds: ["pdf"], documents: ["application/pdf"] },
  // openrouter.ai/docs, "PDF Inputs": any model, since the gateway reads the file for those that cannot.
  { providers: ["openrouter"], kinds: ["pdf"] },
];
