/** Turns the deltas of a server tool into JSON text of its input, piece by piece. */
import { isRecord } from "../../utils/is-object.js";
import type { WireItem } from "./wire-item.js";

/** Writes one text after another into a JSON object that is never closed: the complete input replaces it. */
export class LiveInput {
  #place: unknown;
  #begun = false;

  /**
   * The JSON text of one more piece.
   *
   * @param head everything up to the first text, an open string
   * @param place names the text to which the piece belongs; another one begins the next text of a list
   */
  write(head: string, piece: string, place?: unknown): string {
    const lead = this.#begun ? (place === this.#place ? "" : '","') : head;
    this.#begun = true;
    this.#place = place;
    return lead + JSON.stringify(piece).slice(1, -1);
  }
}

export const CODE_HEAD = '{"code":"';
export const COMMANDS_HEAD = '{"commands":["';

/** The operation of a patch up to its diff. */
export function patchHead({ operation }: WireItem): string {
  const { diff: _, ...known } = isRecord(operation) ? operation : {};
  const fields = JSON.stringify(known).slice(1, -1);
  return `{${fields}${fields === "" ? "" : ","}"diff":"`;
}
