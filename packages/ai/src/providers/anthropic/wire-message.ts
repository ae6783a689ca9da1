/** Messages of the Anthropic Messages API, in a request. */
import type { CacheControl } from "../cache-marks.js";

export interface WireBlock {
  type: string;
  cache_control?: CacheControl;
  [field: string]: unknown;
}

export interface WireMessage {
  role: "user" | "assistant" | "system";
  content: WireBlock[];
  /** Of a system message: the effort from here on. */
  output_config?: { effort: string };
}
