/** Puts the cache points between the blocks of a request (Bedrock user guide, "Prompt caching", 2026-11). */
import type { RequestNote } from "../../transport/index.js";
import { isRecord } from "../../utils/is-object.js";
import { type CacheMark, chooseCacheMarks, endsOfRequests } from "../cache-marks.js";
import { cachePoint, LONG } from "./messages.js";
import type { BedrockOptions } from "./options.js";
import type { WireBlock, WireMessage } from "./wire-message.js";

interface Prompt {
  tools: WireBlock[];
  system: WireBlock[];
  messages: readonly WireMessage[];
  /** How many messages the previous request to this model had, if others have answered since. */
  previous?: number | undefined;
}

/**
 * Replaces the cache points that the application set with those that the request sends. Mutates the lists.
 *
 * @param takesPoints whether the model supports cache points
 */
export function placeCachePoints(
  { tools, system, messages, previous }: Prompt,
  { cacheRetention }: Pick<BedrockOptions, "cacheRetention">,
  takesPoints: boolean,
): RequestNote[] {
  const lists = [tools, system, ...messages.map(({ content }) => content)];
  const requested = removePoints(lists);
  if (cacheRetention === "none" || !takesPoints) return [];
  const first = tools.length + system.length;
  const places = [...endsOfRequests(messages, first, previous), ...(system.length > 0 ? [first - 1] : [])];
  const defaults = places.map((at): CacheMark => ({ at, long: cacheRetention === "long" }));
  const { marks, notes } = chooseCacheMarks(requested, defaults);
  const points = new Map(marks.map(({ at, long }) => [at, cachePoint(long)]));
  let at = 0;
  for (const list of lists) {
    const length = list.length;
    const whole = list.flatMap((block, index) => {
      const point = points.get(at + index);
      return point ? [block, point] : [block];
    });
    if (whole.length > length) list.splice(0, length, ...whole);
    at += length;
  }
  return notes;
}

/** Removes the cache points and returns their positions. */
function removePoints(lists: readonly WireBlock[][]): CacheMark[] {
  const requested: CacheMark[] = [];
  let at = 0;
  for (const list of lists) {
    const blocks = list.filter((block) => {
      const point = block["cachePoint"];
      if (isRecord(point)) requested.push({ at: at - 1, long: point["ttl"] === LONG });
      else at++;
      return !isRecord(point);
    });
    if (blocks.length < list.length) list.splice(0, list.length, ...blocks);
  }
  return requested;
}
