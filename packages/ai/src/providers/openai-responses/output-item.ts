/** The state of a message, of reasoning or of a tool call while it streams. */
import { isText } from "../../utils/is-text.js";
import type { Annotations } from "./annotations.js";
import type { ItemKind, WireItem } from "./wire-item.js";

/** Identifies one of an item's texts. */
export interface TextPlace {
  kind: "text" | "thinking";
  source: "content" | "summary";
}

/** A piece of such a text, and the part that it belongs to. */
export interface TextPiece {
  part: unknown;
  text: unknown;
}

export interface OutputItem {
  key: string;
  kind: ItemKind;
  /** The fields known so far. */
  wire: WireItem;
  announced: boolean;
  done: boolean;
  /** Reasoning arrives as a summary, as content, or as both: the block shows the first to arrive. */
  source: TextPlace["source"] | undefined;
  /** The parts that have received text. */
  parts: Set<unknown>;
  /** The complete arguments, as the server repeated them. */
  finalArguments: string;
  annotations: Annotations | undefined;
  /** The length of the text up to the last part that is complete. */
  length: number;
}

/** The signature of a text: the server's id, and whether the text is commentary or final. */
export function textSignature(id: unknown, phase: unknown): string | undefined {
  if (!isText(id)) return undefined;
  return JSON.stringify({ v: 1, id, ...(phase === "commentary" || phase === "final_answer" ? { phase } : {}) });
}
