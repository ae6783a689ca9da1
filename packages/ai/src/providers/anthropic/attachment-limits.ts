/** Checks images and files against the server's limits before the request is sent. */
import type { AttachmentLimits } from "../../compat/anthropic.js";
import { ConfigError } from "../../errors.js";
import type { Model } from "../../types/model.js";
import { isRecord } from "../../utils/is-object.js";
import type { WireBlock, WireMessage } from "./wire-message.js";

/** @throws {@link ConfigError} if images or files are too large or too many */
export function checkAttachments(
  wire: readonly WireMessage[],
  limits: AttachmentLimits | undefined,
  model: Model,
): void {
  if (!limits) return;
  const blocks = wire.flatMap(({ role, content }) => (role === "user" ? content.flatMap(withParts) : []));
  let images = 0;
  let length = 0;
  for (const block of blocks) {
    const size = lengthOf(block);
    length += size;
    if (block["type"] !== "image") continue;
    images++;
    if (size > limits.imageLength) {
      throw new ConfigError(
        `An image is ${inMegabytes(size)} in base64. ${model.provider} accepts at most ${inMegabytes(limits.imageLength)}: scale it down.`,
      );
    }
  }
  const count = limits.images.find(({ contextWindow }) => model.contextWindow <= contextWindow)?.count;
  if (count !== undefined && images > count) {
    throw new ConfigError(`The conversation has ${images} images. ${model.id} accepts at most ${count} in a request.`);
  }
  if (length > limits.requestLength) {
    throw new ConfigError(
      `The images and files of the conversation are ${inMegabytes(length)} in base64. ${model.provider} accepts requests of at most ${inMegabytes(limits.requestLength)}.`,
    );
  }
}

/** A block and, for a tool result, the blocks inside it. */
function withParts(block: WireBlock): Record<string, unknown>[] {
  const { content } = block;
  return Array.isArray(content) ? [block, ...content.filter(isRecord)] : [block];
}

function lengthOf({ source }: Record<string, unknown>): number {
  return isRecord(source) && typeof source["data"] === "string" ? source["data"].length : 0;
}

function inMegabytes(length: number): string {
  return `${Math.ceil((length / 1024 / 1024) * 10) / 10} MB`;
}
