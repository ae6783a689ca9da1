/** Annotations of the Responses API as citations of a text block. */
import type { Citation } from "../../types/message.js";
import { isObject } from "../../utils/is-object.js";
import { isText } from "../../utils/read-text.js";
import { objectsOf } from "./wire-items.js";

type Annotation = Record<string, unknown>;

/**
 * Holds the annotations of one text until the text of their part is complete: the server counts code points (as Python
 * does; the API reference does not name the unit), and citations count UTF-16 units.
 */
export class Annotations {
  readonly #waiting = new Map<number, Annotation[]>();
  /** How many annotations of a part have become citations. */
  readonly #cited = new Map<number, number>();

  add(part: number, annotation: unknown): void {
    if (!isObject(annotation)) return;
    const waiting = this.#waiting.get(part);
    const [added] = objectsOf<Annotation>([annotation]);
    if (!added) return;
    if (waiting) waiting.push(added);
    else this.#waiting.set(part, [added]);
  }

  /**
   * Returns the citations that have not been taken yet.
   *
   * @param text the text of the part; undefined if unknown, in which case citations have no position
   * @param before the total length of the parts before it
   * @param all the annotations that the part repeats
   */
  take(part: number, text: string | undefined, before: number, all?: unknown): Citation[] {
    const cited = this.#cited.get(part) ?? 0;
    const listed = objectsOf<Annotation>(all);
    const waiting = this.#waiting.get(part) ?? [];
    const fresh = listed.length >= cited + waiting.length ? listed.slice(cited) : waiting;
    this.#waiting.delete(part);
    this.#cited.set(part, cited + fresh.length);
    return fresh.length === 0 ? [] : toCitations(fresh, text, before);
  }

  /** The parts with annotations that have not been taken. */
  get parts(): number[] {
    return [...this.#waiting.keys()];
  }
}

function toCitations(annotations: readonly Annotation[], text: string | undefined, before: number): Citation[] {
  const places = annotations.flatMap(({ start_index, end_index }) => [start_index, end_index]).filter(isPlace);
  const units = text === undefined ? new Map<number, number>() : toUnits(text, places);
  return annotations.map((annotation) => {
    const { url, title, filename, file_id, container_id, start_index, end_index } = annotation;
    const name = [title, filename].find(isText);
    const file = [container_id, file_id].filter(isText).join("/");
    const [start, end] = [start_index, end_index].map((place) => (isPlace(place) ? units.get(place) : undefined));
    return {
      ...(isText(url) ? { url } : {}),
      ...(name === undefined ? {} : { title: name }),
      ...(start === undefined || end === undefined ? {} : { start: before + start, end: before + end }),
      ...(file === "" ? {} : { source: file }),
      // A request sends each block as one part, in which positions of a later part would be wrong.
      ...(before > 0 ? {} : { signature: JSON.stringify(annotation) }),
    };
  });
}

function isPlace(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** Maps positions in code points to UTF-16 units, in one pass over the text. Positions outside the text are omitted. */
function toUnits(text: string, places: readonly number[]): Map<number, number> {
  const units = new Map<number, number>();
  let unit = 0;
  let point = 0;
  for (const place of [...new Set(places)].sort((one, other) => one - other)) {
    for (; point < place && unit < text.length; point++) unit += (text.codePointAt(unit) ?? 0) > 0xff_ff ? 2 : 1;
    if (point === place) units.set(place, unit);
  }
  return units;
}
