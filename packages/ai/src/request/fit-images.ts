/** Leaves out the images and files that the vendor would refuse: one would make each later request of the conversation fail. */
import { type ImageRules, imageRulesOf } from "../catalogue/compat/index.js";
import { ConfigError } from "../errors.js";
import type { RequestNote } from "../transport/index.js";
import type { AssistantBlock, FileContent, ImageContent, Message, UserBlock } from "../types/message.js";
import type { Model } from "../types/model.js";
import { isFileBlock, isPicture } from "../utils/file-blocks.js";
import { fileTypeOf, PDF, plainBase64, saysType, statedType, UNKNOWN_TYPE } from "../utils/file-type.js";
import { type ImageHeader, readImageHeader } from "../utils/image-header.js";
import { inputKindOf } from "../utils/input-kind.js";
import { isFailure } from "../utils/message-facts.js";
import { isAnimated } from "../utils/pictures/animated-gif.js";
import { isCutOff } from "../utils/pictures/cut-off.js";
import { type FileRow, rowOf, takesKind } from "./handoff/foreign-files.js";
import { isSameModel } from "./handoff/same-model.js";

/** The messages as they are sent, and what was changed, for the diagnostics of the response. */
export interface FittedImages {
  messages: readonly Message[];
  notes: RequestNote[];
}

/** Who gets the conversation. */
export interface FileReader {
  model: Model;
  /** The files that models of the api accept beside their `input`. Default: none. */
  files?: readonly FileRow[] | undefined;
  fileFault?: ((block: ImageContent | FileContent, model: Model) => string | undefined) | undefined;
}

/** With what its vendor takes. */
interface FileTarget extends FileReader {
  rules: ImageRules;
}

/** One image or file of the conversation. */
interface Place {
  /** The index of its message. */
  message: number;
  role: Message["role"];
  block: ImageContent | FileContent;
  /** The block as it is sent. */
  sent: ImageContent | FileContent;
  /** The length of its longest edge in pixels; 0 if unknown. */
  edge: number;
  /** That of its shortest edge; 0 if unknown. */
  least: number;
  pixels: number;
  size: string;
  /** Why the vendor refuses it. */
  fault: string | undefined;
}

/** The type of a file at an address whose type is not known. */
const ANY_IMAGE = "image/*";
/** The base64 of 12 bytes, in which every format has named itself. Shorter data is not a picture either, but stands for one in tests. */
const LEAST_LENGTH = 16;
/** Nothing, or less than three bytes. */
const NO_DATA = /^\s*$|^.{1,3}$/s;
const MEBIBYTE = 1024 * 1024;

/**
 * Gives each image and file the type that its first bytes name, and replaces one that the vendor refuses by a note. Reads
 * headers only. The messages themselves stay as they are.
 *
 * @throws ConfigError if the newest message is of the user and holds such an image or file
 */
export function fitImages(messages: readonly Message[], reader: FileReader): FittedImages {
  const { model } = reader;
  const rules = imageRulesOf(model);
  const target = { ...reader, rules };
  const places = messages.flatMap((message, index) => placesIn(message, index, target));
  const newest = messages.findLastIndex((message) => !hasFailed(message));
  // Those of the user's newest message are refused by the adapter, if they are too many by themselves.
  const earlier = places.filter(({ message, role }) => message !== newest || role !== "user");
  leaveOutOldest(places, earlier, target);
  refuseManyLarge(places, rules);
  for (const place of places) {
    const { message, role, fault, sent } = place;
    // The adapter refuses those of the newest message in its own words.
    if (message !== newest || role !== "user") place.fault ??= target.fileFault?.(sent, model);
    if (fault === undefined || message !== newest || role !== "user") continue;
    throw new ConfigError(
      `${model.provider} does not accept ${isPicture(sent) ? "an image" : "a file"} of the last message: ${fault}.`,
    );
  }
  const changed = places.filter(({ block, sent, fault }) => fault !== undefined || sent !== block);
  if (changed.length === 0) return { messages, notes: [] };
  return { messages: withChanges(messages, changed), notes: notesOf(changed) };
}

function hasFailed(message: Message): boolean {
  return message.role === "assistant" && isFailure(message.stopReason);
}

/** Images that the model itself generated go back as they came. */
function placesIn(message: Message, index: number, target: FileTarget): Place[] {
  const { role, content } = message;
  if (!Array.isArray(content) || hasFailed(message)) return [];
  if (role === "assistant" && isSameModel(message, target.model)) return [];
  const blocks: readonly (UserBlock | AssistantBlock | null)[] = content;
  return blocks.flatMap((block) => {
    const reading = isFileBlock(block) ? readBlock(block, target) : undefined;
    return reading ? [{ message: index, role, ...reading }] : [];
  });
}

type Reading = Omit<Place, "message" | "role">;

/** Undefined for what the model does not take: a note says so, see `readOrNote`. */
function readBlock(block: ImageContent | FileContent, target: FileTarget): Reading | undefined {
  const { model, rules, files = [] } = target;
  const given = withData(block);
  const read = { ...(given.type === "image" ? readImage(given, rules) : readFile(given, target)), block };
  const kind = block.type === "image" ? "image" : inputKindOf(read.sent.mimeType);
  if (takesKind(model, kind, block.type === "image" ? [] : files)) return read;
  return read.sent === block ? undefined : { ...read, fault: undefined };
}

/** The address of a file may be a data URL. Vendors take data, and other addresses. */
function withData(block: ImageContent | FileContent): ImageContent | FileContent {
  if (block.type === "image" || block.data !== undefined || !/^data:/i.test(String(block.url))) return block;
  const { url: data = "", ...file } = block;
  return { ...file, data };
}

function readFile(block: FileContent, target: FileTarget): Reading {
  const stated = statedType(block.mimeType);
  if (block.data === undefined) return readAddress(block, stated, target.rules);
  const { data, type: ofUrl } = plainBase64(typeof block.data === "string" ? block.data : "");
  const type = fileTypeOf(saysType(stated) ? stated : statedType(ofUrl) || stated, data);
  if (inputKindOf(type ?? stated) === "image") return readImage(block, target.rules);
  // A file of a type that nothing tells counts as a document.
  const sent = typed(block, type ?? (stated || UNKNOWN_TYPE), data);
  return withFault(sent, block, contentFault(data, type, stated) ?? documentFault(sent.mimeType, target));
}

function readAddress(block: FileContent, stated: string, rules: ImageRules): Reading {
  const leadsNowhere = block.url === undefined && block.fileId === undefined;
  if (leadsNowhere) return withFault(block, block, "it has neither data nor an address nor an id");
  const isTyped = typeof block.mimeType === "string";
  const reading =
    inputKindOf(stated) === "image"
      ? judge(block, { type: stated, isAddress: true }, { block, rules })
      : withFault(isTyped ? block : { ...block, mimeType: UNKNOWN_TYPE }, block);
  reading.fault ??= addressFault(block, rules);
  return reading;
}

function addressFault({ url, fileId }: FileContent, { schemes }: ImageRules): string | undefined {
  if (fileId !== undefined) return undefined;
  const [, scheme] = /^([a-z][a-z\d+.-]*):\S/i.exec(String(url)) ?? [];
  if (scheme === undefined) return "its address is none";
  if (schemes?.includes(scheme.toLowerCase()) ?? true) return undefined;
  return `its address begins with ${scheme}:; pass its data, or an address of ${schemes?.join(", ")}`;
}

function contentFault(data: string, type: string | undefined, stated: string): string | undefined {
  if (NO_DATA.test(data)) return "it has no data";
  if (tryReadHeader(data) === "not base64") return "its data is not base64";
  if (type !== undefined) return undefined;
  return stated === PDF ? "it is no PDF" : "its type is not known";
}

function documentFault(type: string, { model, files = [] }: FileTarget): string | undefined {
  const documents = inputKindOf(type) === "pdf" ? rowOf(model, "pdf", files)?.documents : undefined;
  if (!documents || documents.includes(type)) return undefined;
  return `its type is ${type}; convert it to ${documents.join(", ")}`;
}

function typed<TBlock extends ImageContent | FileContent>(block: TBlock, mimeType: string, data: string): TBlock {
  return block.mimeType === mimeType && block.data === data ? block : { ...block, mimeType, data };
}

function readImage(block: ImageContent | FileContent, rules: ImageRules): Reading {
  const declared = statedType(block.mimeType);
  const { data } = plainBase64(typeof block.data === "string" ? block.data : "");
  if (NO_DATA.test(data)) return withFault(block, block, "it has no data");
  const header = tryReadHeader(data);
  if (header === "not base64") return withFault(block, block, "its data is not base64");
  if (!header && data.length >= LEAST_LENGTH) return withFault(block, block, "its data is that of no known picture");
  const { type = declared, size } = header ?? {};
  const plain = data === block.data ? block : { ...block, data };
  const reading = judge(plain, { type, isAddress: false }, { block, rules });
  if (rules.stillGifs && type === "image/gif") reading.fault ??= movementFault(data);
  if (size) {
    reading.edge = Math.max(size.width, size.height);
    reading.least = Math.min(size.width, size.height);
    reading.pixels = size.width * size.height;
    reading.size = `${size.width} x ${size.height} pixels`;
  }
  reading.fault ??=
    header && endsEarly(header, data) ? "its data is cut off" : (sizeFault(reading, rules) ?? heavyFault(data, rules));
  return reading;
}

function tryReadHeader(data: string): ReturnType<typeof readImageHeader> | "not base64" {
  try {
    return readImageHeader(data);
  } catch {
    return "not base64";
  }
}

function judge(
  plain: ImageContent | FileContent,
  { type, isAddress }: { type: string; isAddress: boolean },
  { block, rules: { types } }: { block: ImageContent | FileContent; rules: ImageRules },
): Reading {
  const fits = types.includes(type) || (isAddress && type === ANY_IMAGE);
  const fault = fits ? undefined : `its type is ${type || "not known"}; convert it to ${types.join(", ")}`;
  return withFault(plain.mimeType === type ? plain : { ...plain, mimeType: type }, block, fault);
}

function withFault(sent: ImageContent | FileContent, block: ImageContent | FileContent, fault?: string): Reading {
  return { block, sent, edge: 0, least: 0, pixels: 0, size: "", fault };
}

/** "Could not process image" (anthropics/claude-code#56016, 2026-05), "Invalid PNG image" (NousResearch/hermes-agent#69078, 2026-07). */
function endsEarly(header: ImageHeader, data: string): boolean {
  try {
    return header.isCutOff === true || isCutOff(header.type, data);
  } catch {
    return true; // what follows is not base64
  }
}

function movementFault(data: string): string | undefined {
  try {
    return isAnimated(data) ? "it is an animation; convert one of its pictures to PNG" : undefined;
  } catch {
    return "its data is not base64";
  }
}

function sizeFault({ edge, least, pixels, size }: Reading, rules: ImageRules): string | undefined {
  const { maxEdge, maxPixels, minEdge = 0 } = rules;
  if (least > 0 && least < minEdge) return `it has ${size}; at least ${minEdge} on an edge are accepted`;
  if (maxPixels !== undefined && pixels > maxPixels) return `it has ${size}; at most ${maxPixels} in all are accepted`;
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

/** The most that a request may hold of something, in words, and the error of a message that has more by itself. */
interface RequestLimit {
  most: number | undefined;
  weigh: (place: Place) => number;
  words: string;
  error?: (sum: number) => ConfigError;
}

/**
 * Leaves out the oldest images and files, so that a conversation may grow beyond what a request may hold.
 *
 * @throws ConfigError if those of the user's newest message are too many
 */
function leaveOutOldest(all: readonly Place[], earlier: readonly Place[], { model, rules }: FileTarget): void {
  const { counts, maxFiles, maxTotal } = rules;
  const count = counts?.find(({ window }) => model.contextWindow <= window)?.count;
  const isImage = ({ sent }: Place): number => Number(isPicture(sent));
  const limits: readonly RequestLimit[] = [
    {
      most: count,
      weigh: isImage,
      words: `${count} images`,
      error: (sum) =>
        new ConfigError(`The conversation has ${sum} images. ${model.id} accepts at most ${count} in a request.`),
    },
    // The adapter refuses more in one message.
    { most: maxFiles, weigh: (place) => 1 - isImage(place), words: `${maxFiles} documents` },
    {
      most: maxTotal,
      weigh: ({ sent }) => sent.data?.length ?? 0,
      words: `${inMegabytes(maxTotal ?? 0)} MB of images and files`,
      error: (sum) =>
        new ConfigError(
          `The images and files of the conversation are ${inMegabytes(sum)} MB in base64. ${model.provider} accepts requests of at most ${inMegabytes(maxTotal ?? 0)} MB.`,
        ),
    },
  ];
  for (const { most, weigh, words, error } of limits) {
    if (most === undefined) continue;
    const weightOf = (place: Place): number => (place.fault === undefined ? weigh(place) : 0);
    const sum = all.reduce((weight, place) => weight + weightOf(place), 0);
    const rest = sum - leaveOut(earlier, sum - most, { most, words, weightOf });
    if (rest > most && error) throw error(rest);
  }
}

/** The weight of what is left out: a quarter at once, because each change of what was sent before has its price. */
function leaveOut(
  places: readonly Place[],
  over: number,
  { most, words, weightOf }: { most: number; words: string; weightOf: (place: Place) => number },
): number {
  const step = Math.max(1, Math.floor(most / 4));
  const wanted = Math.ceil(over / step) * step;
  let gone = 0;
  for (const place of places) {
    const weight = weightOf(place);
    if (gone >= wanted || weight === 0) continue;
    place.fault = `a request has at most ${words}`;
    gone += weight;
  }
  return gone;
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
  return {
    type: "text",
    text: `(${role === "toolResult" ? "tool " : ""}${isPicture(sent) ? "image" : "file"} omitted: ${fault})`,
  };
}

function notesOf(changed: readonly Place[]): RequestNote[] {
  const notes: RequestNote[] = [];
  const omitted = changed.flatMap(({ message, fault }) => (fault === undefined ? [] : [{ message, reason: fault }]));
  const retyped = changed.flatMap(({ message, block, sent, fault }) =>
    // The same data in other letters does not count as a change.
    fault === undefined && block.mimeType !== sent.mimeType
      ? [{ message, from: block.mimeType, to: sent.mimeType }]
      : [],
  );
  if (omitted.length > 0) notes.push({ type: "image_omitted", details: { images: omitted } });
  if (retyped.length > 0) notes.push({ type: "image_type_changed", details: { images: retyped } });
  return notes;
}
