/** An agent with a request over HTTP in each turn: tool calls, then a text. */
import { type BodyRequest, bodyPath } from "../bodies.ts";
import { offered } from "../not-offered.ts";
import { measureCost, type Work } from "./measured.ts";

const ARGUMENTS_SIZE = 200;
const TEXT_DELTAS = 20;

export const run: Work = async ({ client, input: { size = 0 }, serverUrl }) => {
  const runHttpAgent = offered(client.runHttpAgent);
  const base: Omit<BodyRequest, "kind" | "size"> = { protocol: "anthropic-messages", piece: 16 };
  const toolUrl = serverUrl + bodyPath({ ...base, kind: "arguments", size: ARGUMENTS_SIZE });
  const textUrl = serverUrl + bodyPath({ ...base, kind: "text", size: TEXT_DELTAS });
  return measureCost(() => runHttpAgent({ turns: size, toolUrl, textUrl }));
};
