/** What a provider brings to the conformance suite: a few answers, and how to make a call that gets them. */
import type { AssistantMessage, StopReason } from "../../src/types/message.js";
import type { Model } from "../../src/types/model.js";
import type { ProviderStreamOptions } from "../../src/types/options.js";
import type { Exchange } from "../support/exchange.js";

/**
 * The answers of the suite: text in several pieces; thinking and then text; one call with arguments in several pieces;
 * two calls one after the other; two calls whose pieces alternate; text beyond ASCII and beyond U+FFFF.
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

/** A block as it must be at last; an id that is left out may be anything but empty. */
export type ExpectedBlock =
  | { type: "text"; text: string }
  | { type: "thinking"; thinking: string }
  | { type: "toolCall"; id?: string; name: string; arguments: Record<string, unknown> };

export interface ExpectedResponse {
  content: readonly ExpectedBlock[];
  /** Default `"toolUse"` with calls, else `"stop"`. */
  stopReason?: StopReason;
  /** Tokens of prompt and answer that the answer reports. Default: not looked at. */
  totalTokens?: number;
}

/** A call that is ready to be made. */
export interface PreparedRequest {
  model: Model;
  options: ProviderStreamOptions;
  /** What the server sees of it; absent for a provider without a network. */
  exchange?: Exchange;
}

/** A case that this provider cannot pass, and why. */
export interface SkippedCases {
  reason: string;
  cases: readonly string[];
}

export interface Target {
  name: string;
  skip?: readonly SkippedCases[];
  /** An answer is left out where the protocol has no such thing. */
  responses: Partial<Record<ResponseName, ExpectedResponse>>;
  /** Prepares a call that gets the answer. With `hold` all but its end arrives, and then nothing more. */
  prepare(response: ResponseName, options?: { hold?: boolean }): PreparedRequest;
}

/** What is in a final message, as it is compared. */
export function toExpected(message: AssistantMessage): ExpectedBlock[] {
  return message.content.map((block): ExpectedBlock => {
    if (block.type === "text") return { type: "text", text: block.text };
    if (block.type === "thinking") return { type: "thinking", thinking: block.thinking };
    return { type: "toolCall", id: block.id, name: block.name, arguments: block.arguments };
  });
}
