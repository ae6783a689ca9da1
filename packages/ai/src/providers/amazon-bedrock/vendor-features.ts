/** Features of Bedrock beside answering: tools that it runs, and files that models accept. */
import type { FileRow, ServerToolRows } from "../../request/index.js";

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

export const BEDROCK_FILES: readonly FileRow[] = [
  // docs.aws.amazon.com, Bedrock user guide, "Supported models and model features", Document chat, 2026-11. Models without
  // images get the text of a document.
  { models: /claude|nova-(lite|pro|premier|2)/, ifImages: true, kinds: ["pdf"] },
  { models: /llama3-[12]-|mistral-(7b|large-24)|mixtral|command-r|jamba-1-5/, kinds: ["pdf"] },
  // docs.aws.amazon.com, Nova user guide, "Multimodal support", 2026-11.
  { models: /nova-(lite|pro|premier|2)/, ifImages: true, kinds: ["video"] },
];
