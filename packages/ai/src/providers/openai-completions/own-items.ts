/** Sends back what a model produced besides text, as fields and parts of an assistant message. */
import { describeFile, readWireItems, type WireItem } from "../../request/index.js";
import type {
  AssistantBlock,
  AssistantImage,
  CompactionContent,
  FileContent,
  ServerToolContent,
} from "../../types/message.js";
import { isRecord } from "../../utils/is-object.js";
import { toDataUrl } from "../content.js";
import type { WirePart } from "./parts.js";

/** Fields of an assistant message that servers accept in requests. */
export interface OwnFields {
  annotations?: unknown[];
  images?: object[];
  audio?: { id: string };
}

/** Adds the fields of a block, and returns its parts. */
export function addOwnItems(
  block: ServerToolContent | CompactionContent | AssistantImage | FileContent,
  fields: OwnFields,
): (string | WirePart)[] {
  const items = readWireItems(block.signature);
  const annotations = items.flatMap((item) => listOf(item, "annotations"));
  if (annotations.length > 0) fields.annotations = [...(fields.annotations ?? []), ...annotations];
  const parts = items.flatMap((item) => listOf(item, "content").filter(isPart));
  if (block.type === "serverTool" || block.type === "compaction" || parts.length > 0) return parts;
  if (block.signature === undefined) return [describeFile(block)];
  if (items.length === 0) fields.images = [...(fields.images ?? []), toImage(block)];
  return [];
}

/** The audio of a message, if the server still has it. Returns whether it does. */
export function addAudio(content: readonly AssistantBlock[], fields: OwnFields, now: number = Date.now()): boolean {
  for (const block of content) {
    if (block.type !== "file") continue;
    for (const { audio } of readWireItems(block.signature)) {
      if (!isRecord(audio) || typeof audio["id"] !== "string") continue;
      const { id, expires_at: expiresAt } = audio;
      if (typeof expiresAt === "number" && expiresAt * 1000 <= now) continue;
      fields.audio = { id };
    }
  }
  return fields.audio !== undefined;
}

function toImage(block: AssistantImage | FileContent): object {
  const url = block.type === "image" ? toDataUrl(block) : block.url;
  return { type: "image_url", image_url: { url } };
}

function listOf(item: WireItem, field: string): unknown[] {
  const list = item[field];
  return Array.isArray(list) ? list : [];
}

function isPart(part: unknown): part is WirePart {
  return isRecord(part) && typeof part["type"] === "string";
}
