/** Messages of the Anthropic Messages API, in a request. */
import type { CacheControl } from "../cache-marks.js";

export interface WireBlock {
  type: string;
  cache_control?: CacheControl;
  [field: string]: unknown;
}

export interface WireMessage {
  role: "user" | "assistant";
  content: WireBlock[];
}
