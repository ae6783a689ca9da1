/** Our packages. */
import { StreamingJsonParser } from "../../../packages/ai/src/wire/json/streaming-json.js"; // not public: arguments are read through messages
import type { CreateClient, Tick } from "./client.ts";
import { createPiClient, type PiAgent, type PiAi } from "./pi-family.ts";

export const createClient: CreateClient = () => ({
  // Literal names, which resolve to the packages of this workspace.
  importRoot: () => Promise.all([import("pi-ai"), import("pi-agent")]),
  ...createPiClient(loadAi, loadAgent),
  createQueue: async () => {
    const { EventStream } = await import("pi-ai");
    return new EventStream<Tick, number>(
      (tick) => tick.last,
      (tick) => tick.index,
    );
  },
  readPieces: async (pieces, every) => {
    const parser = new StreamingJsonParser();
    for (const [index, piece] of pieces.entries()) {
      parser.feed(piece);
      if (index % every === 0) void parser.value;
    }
    if (parser.state !== "complete") throw new Error(parser.error ?? "the text is incomplete");
    return parser.value;
  },
  peek: async (pieces) => {
    const parser = new StreamingJsonParser();
    for (const piece of pieces) parser.feed(piece);
    return parser.value;
  },
});

const loadAi = async (): Promise<PiAi> => import("pi-ai");

async function loadAgent(): Promise<PiAgent> {
  const [{ createAssistantMessageEventStream }, { Agent, runAgentLoop }] = await Promise.all([
    import("pi-ai"),
    import("pi-agent"),
  ]);
  // The earlier packages declare their own types for the same shapes; the shared type is narrower than both.
  return { createAssistantMessageEventStream, Agent, runAgentLoop } as unknown as PiAgent;
}
