/** Messages of the Anthropic Messages API, in a request. */

export interface WireBlock {
  type: string;
  cache_control?: CacheControl;
  [field: string]: unknown;
}

export interface CacheControl {
  type: "ephemeral";
  ttl?: "1h";
}

export interface WireMessage {
  role: "user" | "assistant";
  content: WireBlock[];
}
