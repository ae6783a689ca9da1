/** A message of ConverseStream, and its blocks. */

/** A union with one key, which names the kind. Binary data is base64. */
export type WireBlock = Record<string, unknown>;

export interface WireMessage {
  role: "user" | "assistant";
  content: WireBlock[];
}
