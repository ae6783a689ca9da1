/** Leaves out the images that the vendor would refuse, and PDFs that are none: one would make each later request of the conversation fail. */
import type { ImageRules } from "../catalogue/compat/index.js";
import { ConfigError } from "../errors.js";
import type { RequestNote } from "../transport/index.js";
import type { AssistantBlock, FileContent, ImageContent, Message, UserBlock } from "../types/message.js";
import type { Model } from "../types/model.js";
import { readImageHeader } from "../utils/image-header.js";
import { isFailure } from "../utils/message-facts.js";
import { ownValue } from "../utils/own-value.js";
import { isSameModel } from "./handoff/same-model.js";
import { inputKindOf } from "./input-kind.js";

/** The messages as they are sent, and what was changed, for the diagnostics of the response. */
export interface FittedImages {
  messages: readonly Message[];
  notes: RequestNote[];
}

/** One image of the conversation. */
interface Place {
  /** The index of its message. */
  message: number;
  role: Message["role"];
  block: ImageContent | FileContent;
  /** The block as it is sent. */
  sent: ImageContent | FileContent;
  /** The length of its longest edge in pixels; 0 if unknown. */
  edge: number;
  size: string;
  /** Why the vendor refuses it. */
  fault: string | undefined;
}

/** Names of types that vendors refuse, and those they accept (IANA media types). */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  "image/jpg": "image/jpeg",
  "image/pjpeg": "image/jpeg",
  "image/x-png": "image/png",
};
/** The type of a file at an address whose type is not known. */
const ANY_IMAGE = "image/*";
/** The base64 of 12 bytes, in which every format has named itself. Less is no picture either, but stands for one in tests. */
const LEAST_LENGTH = 16;
/** Nothing, or less than three bytes. */
const NO_DATA = /^\s*$|^.{1,3}$/s;
const MEBIBYTE = 1024 * 1024;

/**
 * Gives each image the type that its first bytes name, and replaces an image that the vendor refuses by a note. Reads headers
 * only. The messages themselves stay as they are.
 *
 * @throws ConfigError if the newest message is of the user and holds such an image
 */
export function fitImages(messages: readonly Message[], model: Model, rules: ImageRules): FittedImages {
  if (!model.input.includes("image")) return { messages, notes: [] };
  const places = messages.flatMap((message, index) => placesIn(message, index, model, rules));
  refuseManyLarge(places, rules);
  const newest = messages.findLastIndex((message) => !hasFailed(message));
  for (const { message, role, fault } of places) {
    if (fault === undefined || message !== newest || role !== "user") continue;
    throw new ConfigError(`${model.provider} does not accept an image of the last message: ${fault}.`);
  }
  const changed = places.filter(({ block, sent, fault }) => fault !== undefined || sent !== block);
  if (changed.length === 0) return { messages, notes: [] };
  return { messages: withChanges(messages, changed), notes: notesOf(changed) };
}

function hasFailed(message: Message): boolean {
  return message.role === "assistant" && isFailure(message.stopReason);
}

/** Images that the model itself generated go back as they came. */
function placesIn(message: Message, index: number, model: Model, rules: ImageRules): Place[] {
  const { role, content } = message;
  if (!Array.isArray(content) || hasFailed(message)) return [];
  if (role === "assistant" && isSameModel(message, model)) return [];
  const blocks: readonly (UserBlock | AssistantBlock | null)[] = content;
  return blocks.flatMap((block) => (isImage(block) ? [{ message: index, role, ...readImage(block, rules) }] : []));
}

function isImage(block: UserBlock | AssistantBlock | null): block is ImageContent | FileContent {
  if (block?.type === "image") return true;
  if (block?.type !== "file" || typeof block.mimeType !== "string") return false;
  return inputKindOf(block.mimeType) === "image" || isNoPdf(block);
}

/** Whether a file that says to be a PDF is empty, or something else by its first bytes. */
function isNoPdf({ mimeType, data }: FileContent): boolean {
  if (plainType(mimeType) !== PDF || typeof data !== "string") return false;
  const header = tryReadHeader(data);
  return NO_DATA.test(data) || (typeof header === "object" && header.type !== PDF);
}

const PDF = "application/pdf";

type Reading = Omit<Place, "message" | "role">;

function readImage(block: ImageContent | FileContent, rules: ImageRules): Reading {
  const declared = plainType(block.mimeType);
  const { data } = block;
  if (data === undefined && block.type === "file") return judge(block, { type: declared, isAddress: true }, rules);
  if (typeof data !== "string" || NO_DATA.test(data)) return withFault(block, "it has no data");
  if (declared === PDF) return withFault(block, "it is no PDF");
  const header = tryReadHeader(data);
  if (header === "not base64") return withFault(block, "its data is not base64");
  if (!header && data.length >= LEAST_LENGTH) return withFault(block, "its data is that of no known picture");
  const { type = declared, size, isCutOff } = header ?? {};
  const reading = judge(block, { type, isAddress: false }, rules);
  if (size) {
    reading.edge = Math.max(size.width, size.height);
    reading.size = `${size.width} x ${size.height} pixels`;
  }
  reading.fault ??= isCutOff ? "its data is cut off" : (largeFault(reading, rules) ?? heavyFault(data, rules));
  return reading;
}

function tryReadHeader(data: string): ReturnType<typeof readImageHeader> | "not base64" {
  try {
    return readImageHeader(data);
  } catch {
    return "not base64";
  }
}

function plainType(mimeType: unknown): string {
  const type = typeof mimeType === "string" ? (mimeType.toLowerCase().split(";")[0]?.trim() ?? "") : "";
  return ownValue(TYPE_NAMES, type) ?? type;
}

function judge(
  block: ImageContent | FileContent,
  { type, isAddress }: { type: string; isAddress: boolean },
  { types }: ImageRules,
): Reading {
  const fits = types.includes(type) || (isAddress && type === ANY_IMAGE);
  const fault = fits ? undefined : `its type is ${type || "not known"}; convert it to ${types.join(", ")}`;
  const sent = block.mimeType === type ? block : { ...block, mimeType: type };
  return { block, sent, edge: 0, size: "", fault };
}

function withFault(block: ImageContent | FileContent, fault: string): Reading {
  return { block, sent: block, edge: 0, size: "", fault };
}

function largeFault({ edge, size }: Reading, { maxEdge }: ImageRules): string | undefined {
  if (maxEdge === undefined || edge <= maxEdge) return undefined;
  return `it has ${size}; at most ${maxEdge} on an edge are accepted`;
}

function heavyFault({ length }: string, { maxLength }: ImageRules): string | undefined {
  if (maxLength === undefined || length <= maxLength) return undefined;
  return `it is ${inMegabytes(length)} MB in base64; at most ${inMegabytes(maxLength)} MB are accepted`;
}

function inMegabytes(length: number): number {
  return Math.ceil((length / MEBIBYTE) * 10) / 10;
}

/** The limit for many images counts those that are sent. */
function refuseManyLarge(places: readonly Place[], { many }: ImageRules): void {
  if (!many || places.filter(({ fault }) => fault === undefined).length <= many.count) return;
  for (const place of places) {
    if (place.edge <= many.maxEdge) continue;
    place.fault ??= `it has ${place.size}; at most ${many.maxEdge} on an edge are accepted in a request with more than ${many.count} images`;
  }
}

function withChanges(messages: readonly Message[], changed: readonly Place[]): Message[] {
  const copies = [...messages];
  const byBlock = new Map<unknown, Place>(changed.map((place) => [place.block, place]));
  for (const index of new Set(changed.map(({ message }) => message))) {
    const message = copies[index];
    if (!message || typeof message.content === "string") continue;
    const blocks: readonly (UserBlock | AssistantBlock)[] = message.content;
    const content = blocks.map((block) => {
      const place = byBlock.get(block);
      return place ? blockOf(place) : block;
    });
    // The blocks stand where blocks of the same kind stood, or a text does.
    copies[index] = { ...message, content } as Message;
  }
  return copies;
}

/** The model can tell the user what is missing. */
function blockOf({ sent, role, fault }: Place): UserBlock {
  if (fault === undefined) return sent;
  const kind = sent.mimeType === PDF ? "file" : "image";
  return { type: "text", text: `(${role === "toolResult" ? "tool " : ""}${kind} omitted: ${fault})` };
}

function notesOf(changed: readonly Place[]): RequestNote[] {
  const notes: RequestNote[] = [];
  const omitted = changed.flatMap(({ message, fault }) => (fault === undefined ? [] : [{ message, reason: fault }]));
  const retyped = changed.flatMap(({ message, block, sent, fault }) =>
    fault === undefined ? [{ message, from: block.mimeType, to: sent.mimeType }] : [],
  );
  if (omitted.length > 0) notes.push({ type: "image_omitted", details: { images: omitted } });
  if (retyped.length > 0) notes.push({ type: "image_type_changed", details: { images: retyped } });
  return notes;
}
