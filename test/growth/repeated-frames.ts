/** Responses in which one thing comes n times: an event, a part of one, or a whole block. */

import type { Frame, HttpFixtures } from "../../packages/ai/test/conformance/http-target.js";
import { decodeAwsEvent, encodeAwsEvent } from "../../packages/ai/test/support/aws-frames.js";

/** A way to repeat something of a response. */
export interface Repetition {
  /** What comes n times. */
  what: string;
  frames(count: number): Frame[];
}

/** Events of the blocks of a response, without its beginning and its end. */
const OF_BLOCKS =
  /content_block_|response\.(?!created|in_progress|queued|completed|incomplete|done|failed)\w+|"delta":\{"|"parts"|contentBlock/i;

/** Each event, each list in one, and all blocks, of one response. */
export function repetitionsOf(frames: readonly Frame[]): Repetition[] {
  const indexes = frames.flatMap((frame, index) => (OF_BLOCKS.test(textOf(frame)) ? [index] : []));
  const [first = 0, last = -1] = [indexes[0], indexes.at(-1)];
  const around = (from: number, to: number, repeat: (count: number) => Frame[]) => (count: number) => [
    ...frames.slice(0, from),
    ...repeat(count),
    ...frames.slice(to + 1),
  ];
  const blocks = (count: number): Frame[] =>
    numbers(count).flatMap((number) => frames.slice(first, last + 1).map((frame) => renew(frame, number)));
  const all: Repetition[] = [{ what: "all blocks", frames: around(first, last, blocks) }];
  for (const [index, frame] of frames.entries()) {
    const name = `event ${index}`;
    const event = readFrame(frame);
    all.push({ what: `${name}, the same`, frames: around(index, index, (count) => numbers(count).map(() => frame)) });
    if (!event) continue;
    all.push({
      what: `${name}, anew`,
      frames: around(index, index, (count) => numbers(count).map((number) => renew(frame, number))),
    });
    for (const path of listsIn(event.value))
      all.push({
        what: `${name}, its list ${path.join(".")}`,
        frames: around(index, index, (count) => [event.write(repeatAt(event.value, path, count))]),
      });
  }
  return all;
}

/** Events that say nothing: comments, unknown ones. */
export function fillersOf({ keepAlive, unknownEvent, contentType, responses }: HttpFixtures): Repetition[] {
  const [start, ...rest] = responses.text.frames;
  if (start === undefined) return [];
  const fillers: [string, Frame | undefined][] = [
    ["keep-alive", keepAlive],
    ["unknown event", unknownEvent],
  ];
  if (contentType === "text/event-stream")
    fillers.push(
      ["comment", ": comment\n"],
      ["blank line", "\n"],
      ["empty data", "data:\n\n"],
      ["line of no field", "nothing\n"],
    );
  return fillers.flatMap(([what, frame]) =>
    frame === undefined
      ? []
      : [{ what, frames: (count: number) => [start, ...numbers(count).map(() => frame), ...rest] }],
  );
}

const numbers = (count: number): number[] => [...Array.from({ length: count }).keys()];
const textOf = (frame: Frame): string => (typeof frame === "string" ? frame : Buffer.from(frame).toString("latin1"));

interface Event {
  value: unknown;
  write(value: unknown): Frame;
}

function readFrame(frame: Frame): Event | undefined {
  if (typeof frame !== "string") {
    const [name, value] = decodeAwsEvent(Buffer.from(frame));
    return { value, write: (changed) => encodeAwsEvent({ [name]: changed }) };
  }
  const [, before = "", json, after = ""] = /^((?:event: .*\n)?data: )(\{.*\})(\n+)$/s.exec(frame) ?? [];
  if (json === undefined) return undefined;
  return { value: JSON.parse(json), write: (changed) => `${before}${JSON.stringify(changed)}${after}` };
}

/** The event with ids and numbers of its own. */
function renew(frame: Frame, number: number): Frame {
  const event = readFrame(frame);
  return event ? event.write(renewed(event.value, number)) : frame;
}

const IS_ID = /^(?:id|call_id|item_id|tool_?use_?id|url|title|file_id)$/i;
const IS_NUMBER = /^(?:index|output_index|contentBlockIndex|sequence_number)$/;

function renewed(value: unknown, number: number, holder = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => renewed(item, number, holder));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (typeof item === "string" && IS_ID.test(key) && holder !== "") return [key, `${item}${number}`];
      // Another choice or candidate is another response.
      const isChoice = holder === "choices" || holder === "candidates";
      if (typeof item === "string" && IS_ID.test(key) && !("choices" in value)) return [key, `${item}${number}`];
      if (typeof item === "number" && IS_NUMBER.test(key) && !isChoice) return [key, item + 10 * number];
      return [key, renewed(item, number, key)];
    }),
  );
}

function listsIn(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [];
  const own = Array.isArray(value) && value.length > 0 ? [path] : [];
  return [...own, ...Object.entries(value).flatMap(([key, item]) => listsIn(item, [...path, key]))];
}

function repeatAt(value: unknown, [key, ...rest]: readonly string[], count: number): unknown {
  if (Array.isArray(value) && key === undefined)
    return numbers(count).flatMap((number) => renewed(value, number, "list"));
  if (key === undefined) return value;
  // The path was made from the value.
  const holder = value as Record<string, unknown>;
  const changed = repeatAt(holder[key], rest, count);
  return Array.isArray(value) ? value.with(Number(key), changed) : { ...holder, [key]: changed };
}
