/** What a provider contributes to the conformance suite: a few responses, and a way to request them. */
import type { AssistantMessage, StopReason } from "../../src/types/message.js";
import type { Model } from "../../src/types/model.js";
import type { ProviderStreamOptions } from "../../src/types/options.js";
import type { Exchange } from "../support/exchange.js";

/**
 * The responses of the suite: text in several pieces; thinking and then text; one tool call with arguments in several
 * pieces; two tool calls one after the other; two tool calls whose pieces alternate; text beyond ASCII and beyond
 * U+FFFF.
 */
export type ResponseName = "text" | "thinking" | "call" | "parallelCalls" | "interleavedCalls" | "unicode";

export const RESPONSE_NAMES: readonly ResponseName[] = [
  "text",
  "thinking",
  "call",
  "parallelCalls",
  "interleavedCalls",
  "unicode",
];

/** A block in its final form. A missing id may be any non-empty string. */
export type ExpectedBlock =
  | { type: "text"; text: string }
  | { type: "thinking"; thinking: string }
  | { type: "toolCall"; id?: string; name: string; arguments: Record<string, unknown> };

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
    if (block.type === "text") return { type: "text", text: block.text };
    if (block.type === "thinking") return { type: "thinking", thinking: block.thinking };
    if (block.type !== "toolCall") throw new Error(`Unexpected block of type ${block.type}`);
    return { type: "toolCall", id: block.id, name: block.name, arguments: block.arguments };
  });
}
