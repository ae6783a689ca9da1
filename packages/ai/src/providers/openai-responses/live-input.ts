/** Turns text deltas of a server tool into the growing JSON text of its input. */
import { isRecord } from "../../utils/is-object.js";
import type { WireItem } from "./wire-items.js";

/** Writes texts into a JSON object. The complete input replaces it at the end. */
export class LiveInput {
  #place: unknown;
  #begun = false;
  #tail = "";

  /**
   * Returns the JSON text that a piece adds.
   *
   * @param head the JSON text up to and including the opening quotation mark of the first text
   * @param place identifies the text to which the piece belongs; a new value begins the next text of a list
   */
  write(head: string, piece: string, place?: unknown): string {
    const lead = this.#begun ? (place === this.#place ? "" : '","') : head;
    if (!this.#begun) this.#tail = head.endsWith('["') ? '"]}' : '"}';
    this.#begun = true;
    this.#place = place;
    return lead + JSON.stringify(piece).slice(1, -1);
  }

  /** Returns the JSON text that closes the text and the object; empty if nothing was written, or if it was closed. */
  end(): string {
    const tail = this.#tail;
    this.#tail = "";
    return tail;
  }
}

export const CODE_HEAD = '{"code":"';
export const COMMANDS_HEAD = '{"commands":["';

/** The JSON text of a patch operation up to its diff. */
export function patchHead({ operation }: WireItem): string {
  const { diff: _, ...known } = isRecord(operation) ? operation : {};
  const fields = JSON.stringify(known).slice(1, -1);
  return `{${fields}${fields === "" ? "" : ","}"diff":"`;
}
