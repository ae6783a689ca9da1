/** The tools that servers of Chat Completions run. */
import type { ServerToolRows } from "../../request/index.js";

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
