/** The tools that Bedrock runs. */
import type { ServerToolRows } from "../../request/index.js";

/** docs.aws.amazon.com, "Using built-in tools with Nova", 2026-11. */
export const BEDROCK_TOOLS: ServerToolRows = {
  holder: "toolConfig",
  tools: {
    webSearch: {
      providers: ["amazon-bedrock"],
      models: /nova-(premier|2)/,
      refused: ["allowedDomains", "blockedDomains"],
      declare: ({ maxUses }) => ({
        tools: [{ systemTool: { name: "nova_grounding" } }],
        ignored: maxUses === undefined ? [] : ["maxUses"],
      }),
    },
    codeExecution: {
      providers: ["amazon-bedrock"],
      models: /nova-2/,
      declare: () => ({ tools: [{ systemTool: { name: "nova_code_interpreter" } }] }),
    },
  },
};
