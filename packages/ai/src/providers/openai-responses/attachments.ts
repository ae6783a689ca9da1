/** Checks files and images against the limits of the Responses API. */
import type { ConversationShape } from "../../driver/index.js";
import { ConfigError } from "../../errors.js";
import type { FileContent, ImageContent, Message } from "../../types/message.js";
import { fileBlocksOf, isPicture } from "../../utils/file-blocks.js";
import { ownValue } from "../../utils/own-value.js";

const MEGABYTE = 1024 * 1024;

interface Limits {
  /** Bytes of one file. */
  file: number;
  /** Bytes of all files of a request. */
  files: number;
  /** Images of a request. */
  images: number;
}

/** By provider. OpenAI: guides "File inputs" and "Images and vision" (2026-11). Other servers document no limits. */
const LIMITS: Readonly<Record<string, Limits>> = {
  openai: { file: 50 * MEGABYTE, files: 50 * MEGABYTE, images: 1500 },
};

/** @throws ConfigError if the server would reject a file for its size, or the request for its number of images */
export function checkAttachments(messages: readonly Message[], provider: string): void {
  const limits = ownValue(LIMITS, provider);
  if (!limits) return;
  let bytes = 0;
  let images = 0;
  for (const part of attachmentsOf(messages)) {
    if (isPicture(part)) images++;
    if (part.type === "image") continue;
    const size = sizeOf(part);
    if (size > limits.file) throw tooLarge(`The file ${part.name ?? part.mimeType}`, size, limits.file);
    bytes += size;
  }
  if (bytes > limits.files) throw tooLarge("The files of this request", bytes, limits.files, "are");
  if (images > limits.images) {
    throw new ConfigError(`This request has ${images} images; ${provider} accepts at most ${limits.images}.`);
  }
}

function attachmentsOf(messages: readonly Message[]): (ImageContent | FileContent)[] {
  return messages.flatMap((message) => (message.role === "assistant" ? [] : fileBlocksOf(message)));
}

function sizeOf({ data = "" }: FileContent): number {
  return Math.floor((data.length * 3) / 4);
}

function tooLarge(what: string, size: number, limit: number, verb = "is"): ConfigError {
  const megabytes = (size / MEGABYTE).toFixed(1);
  return new ConfigError(
    `${what} ${verb} ${megabytes} MB; the API accepts at most ${limit / MEGABYTE} MB. Upload larger files and pass their ids or URLs.`,
  );
}

const ASSISTANT_ITEMS: ReadonlySet<unknown> = new Set(["reasoning", "function_call"]);

export const RESPONSES_CONVERSATION: ConversationShape = {
  field: "input",
  roleOf: ({ type }) => {
    if (type === "function_call_output") return "tool";
    return ASSISTANT_ITEMS.has(type) ? "assistant" : undefined;
  },
  say: (role, text) =>
    role === "user"
      ? { role, content: [{ type: "input_text", text }] }
      : {
          type: "message",
          status: "completed",
          id: "msg_inserted",
          role,
          content: [{ type: "output_text", text, annotations: [] }],
        },
  serverJoins: true,
};
