/** Amazon's tools, citations and images in ConverseStream (docs.aws.amazon.com, Bedrock API reference, 2026-11). */
import { type OwnSteps, PICTURE, plainId, UNKNOWN } from "../../handoff/script.js";

/** A content block: its start, if the format announces it, and its deltas. */
export interface OwnBlock {
  start?: object;
  deltas?: readonly object[];
}

export const bedrockOwnSteps: OwnSteps<OwnBlock[]> = {
  tool: (key) => useAndResult(key, "success", { text: "It is 42." }),
  failedTool: (key) => useAndResult(key, "error", { text: "Unavailable" }),
  citation: () => [
    {
      deltas: [
        { text: "A says 42." },
        { citation: { title: "A", location: { web: { url: "https://example.com/a", domain: "example.com" } } } },
      ],
    },
  ],
  image: () => [{ start: { image: { format: "png" } }, deltas: [{ image: { source: { bytes: PICTURE } } }] }],
  unknown: (_key, data) => [{ start: { [UNKNOWN]: { data, depth: 3 } } }],
};

function useAndResult(key: string, status: string, content: object): OwnBlock[] {
  const toolUseId = `tooluse_${plainId(22, key)}`;
  const type = "nova_code_interpreter_result";
  return [
    {
      start: { toolUse: { toolUseId, name: "nova_code_interpreter", type: "server_tool_use" } },
      deltas: [{ toolUse: { input: '{"snippet":"print(42)"}' } }],
    },
    { start: { toolResult: { toolUseId, type, status } }, deltas: [{ toolResult: [content] }] },
  ];
}
