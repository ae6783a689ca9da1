/** Reads images and audio that a chat model generates. */
import type { MessageSink } from "../../message/index.js";
import { writeWireItems } from "../../request/index.js";
import { isRecord } from "../../utils/is-object.js";
import { isText } from "../../utils/read-text.js";
import { openImage } from "../generated-image.js";

type Fields = Record<string, unknown>;

/** The `textSignature` of a text block that is the transcript of the audio. */
export const TRANSCRIPT = "audio_transcript";

/** OpenRouter, "Image generation" (2026-11): an image arrives whole, as a data URL, and goes back in the same field. */
export function mapImages(images: unknown, sink: MessageSink): boolean {
  if (!Array.isArray(images)) return false;
  let found = false;
  for (const image of images) {
    const address = isRecord(image) && isRecord(image["image_url"]) ? image["image_url"]["url"] : undefined;
    if (!isText(address)) continue;
    found = true;
    openImage(`image:${sink.length}`, address, writeWireItems([]), sink);
  }
  return found;
}

/** The audio of a response (OpenAI, "Audio and speech", 2026-11): pieces of data and of a transcript. */
export class AudioReader {
  #id = "";
  #expiresAt: number | undefined;
  readonly #pieces: string[] = [];

  /** Returns the next piece of the transcript. */
  add(audio: unknown): string {
    if (!isRecord(audio)) return "";
    const { id, data, transcript, expires_at: expiresAt } = audio;
    if (isText(id)) this.#id = id;
    if (isText(data)) this.#pieces.push(data);
    if (typeof expiresAt === "number") this.#expiresAt = expiresAt;
    return isText(transcript) ? transcript : "";
  }

  /** Audio is sent back by its id while the server keeps it. Streamed audio is raw 16-bit samples at 24 kHz. */
  write(sink: MessageSink): void {
    if (this.#pieces.length === 0) return;
    const audio: Fields = { id: this.#id, ...(this.#expiresAt === undefined ? {} : { expires_at: this.#expiresAt }) };
    sink.open("audio", {
      type: "file",
      mimeType: "audio/pcm",
      data: joinBase64(this.#pieces),
      fileId: this.#id,
      signature: this.#id === "" ? undefined : writeWireItems([{ item: { audio } }]),
    });
    this.#pieces.length = 0;
  }
}

/** Concatenates base64 pieces. Each piece may end with its own padding. */
function joinBase64(pieces: readonly string[]): string {
  if (!pieces.slice(0, -1).some((piece) => piece.endsWith("="))) return pieces.join("");
  return btoa(pieces.map(decode).join(""));
}

function decode(piece: string): string {
  try {
    return atob(piece);
  } catch {
    return "";
  }
}
