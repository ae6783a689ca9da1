/** A provider's input to the conformance suite: a few responses, and a way to request them. */
import type {
  AssistantMessage,
  Citation,
  CompactionContent,
  FileContent,
  ImageContent,
  Model,
  ProviderStreamOptions,
  ServerToolContent,
  StopReason,
} from "pi-ai";
import type { Exchange } from "../support/exchange.js";

/**
 * The responses of the suite: text in several pieces; thinking and then text; one tool call with arguments in several
 * pieces; two tool calls one after the other; two tool calls whose pieces alternate; text beyond ASCII and beyond
 * U+FFFF; text with a source; a tool of the provider with its result; one that waits for the application; a response that
 * is to be continued; an image; a file; a summary of older turns.
 */
export type ResponseName =
  | "text"
  | "thinking"
  | "call"
  | "parallelCalls"
  | "interleavedCalls"
  | "unicode"
  | "citation"
  | "serverTool"
  | "waitingTool"
  | "pause"
  | "image"
  | "file"
  | "compaction";

export const RESPONSE_NAMES: readonly ResponseName[] = [
  "text",
  "thinking",
  "call",
  "parallelCalls",
  "interleavedCalls",
  "unicode",
  "citation",
  "serverTool",
  "waitingTool",
  "pause",
  "image",
  "file",
  "compaction",
];

/** A block in its final form. A missing id may be any non-empty string. Opaque data may be added. */
export type ExpectedBlock =
  | { type: "text"; text: string; citations?: readonly Citation[] }
  | { type: "thinking"; thinking: string }
  | { type: "toolCall"; id?: string; name: string; arguments: Record<string, unknown> }
  | ({ type: "serverTool"; id?: string; name: string; status: ServerToolContent["status"] } & Pick<
      ServerToolContent,
      "input" | "output" | "errorText"
    >)
  | Omit<ImageContent, "signature">
  | Omit<FileContent, "signature">
  | Omit<CompactionContent, "signature">;

export interface ExpectedResponse {
  content: readonly ExpectedBlock[];
  /** Default: `"toolUse"` with tool calls, else `"stop"`. */
  stopReason?: StopReason;
  /** The tokens of prompt and response that the response reports. Default: not checked. */
  totalTokens?: number;
}

/** A request that is ready to be sent. */
export interface PreparedRequest {
  model: Model;
  options: ProviderStreamOptions;
  /** The server's view of it; absent for a provider without a network. */
  exchange?: Exchange;
}

/** A case that this provider cannot pass, and the reason. */
export interface SkippedCases {
  reason: string;
  cases: readonly string[];
}

export interface Target {
  name: string;
  skip?: readonly SkippedCases[];
  /** A response is missing if the api cannot express it. */
  responses: Partial<Record<ResponseName, ExpectedResponse>>;
  /** Prepares a request that gets the response. With `hold`, everything but its end arrives, and then nothing more. */
  prepare(response: ResponseName, options?: { hold?: boolean }): PreparedRequest;
}

/** The content of a final message, for comparison. */
export function toExpected(message: AssistantMessage): ExpectedBlock[] {
  return message.content.map((block): ExpectedBlock => {
    if (block.type === "text") return { type: "text", text: block.text, ...toExpectedCitations(block.citations) };
    if (block.type === "thinking") return { type: "thinking", thinking: block.thinking };
    if (block.type === "toolCall")
      return { type: "toolCall", id: block.id, name: block.name, arguments: block.arguments };
    const { signature: _, ...readable } = block;
    return readable;
  });
}

function toExpectedCitations(citations: readonly Citation[] | undefined): { citations?: readonly Citation[] } {
  return citations ? { citations: citations.map(({ signature: _, ...readable }) => readable) } : {};
}
