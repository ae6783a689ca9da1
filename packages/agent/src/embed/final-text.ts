/** The text of a finished answer, as it is shown. */
import type { AssistantMessage } from "pi-ai";
import { type BlockTagOptions, createBlockTagState, stripBlockTags } from "./block-tags.js";
import type { ReplyDirectiveCodec, ReplyPayload } from "./reply-directives.js";

export interface FinalText {
  /** Without tags, directives still in it. Empty when the tags left nothing. */
  text: string;
  /** Without directives; where the tags left nothing, the fallback. */
  cleaned: ReplyPayload;
}

export interface IndexedText {
  index: number;
  text: string;
}

/** The text blocks of an answer, with their places in its content. */
export function listTexts(message: AssistantMessage): IndexedText[] {
  const texts: IndexedText[] = [];
  for (const [index, block] of message.content.entries())
    if (block.type === "text") texts.push({ index, text: block.text });
  return texts;
}

export function toFinalText(rawText: string, tags: BlockTagOptions, codec: ReplyDirectiveCodec): FinalText {
  const text = stripBlockTags(rawText, createBlockTagState(), tags).trim();
  const cleaned = text === "" ? {} : codec.parse(codec.stripTrailing(text));
  if (cleaned.text || cleaned.mediaUrls?.length) return { text, cleaned };
  const candidate = findFallback(rawText, tags);
  if (candidate === "") return { text, cleaned };
  const parsed = codec.parse(codec.stripTrailing(candidate));
  return { text, cleaned: { ...parsed, text: parsed.text ?? candidate } };
}

/**
 * What is shown of a text whose tags left nothing, such as an answer that was to stand in final tags and does not: the
 * text without final tags. Reasoning that ended properly is no answer and stays hidden.
 */
function findFallback(rawText: string, { thinking, final }: BlockTagOptions): string {
  const state = createBlockTagState();
  const spoken = stripBlockTags(rawText, state, { ...(thinking && { thinking }), final: [] });
  const raw = (state.thinking ? rawText : spoken).trim();
  const withoutFinal = stripBlockTags(raw, createBlockTagState(), { thinking: [], ...(final && { final }) });
  return withoutFinal.trim() || raw;
}
