/** Extracts directives, such as an attachment, from a streaming response. The product supplies their syntax. */

/** One reply to deliver. */
export interface ReplyPayload {
  /** The text to deliver. */
  text?: string;
  /** The attached media. */
  mediaUrls?: string[];
  /** Audio goes out as a voice message. */
  audioAsVoice?: boolean;
  /** The message that this one replies to. */
  replyToId?: string;
  /** Other results of the codec. */
  meta?: Record<string, unknown>;
}

/** The syntax of directives. Text that is not a directive must stay unchanged, spaces included. */
export interface ReplyDirectiveCodec {
  /** Extracts the directives from a text. */
  parse(text: string): ReplyPayload;
  /** The text without an incomplete directive at its end: a prefix of the text. */
  stripTrailing(text: string): string;
}

/** Finds directives in a text that arrives in pieces. */
export interface ReplyDirectiveAccumulator {
  /**
   * Parses the text that was not delivered yet. Returns `null` if there is nothing to deliver. A directive without text of
   * its own, such as a reply-to, joins the next text.
   */
  consume(text: string, options?: { final?: boolean }): ReplyPayload | null;
  /** Drops the held text, for another response. */
  reset(): void;
}

/** No directives at all. */
export const identityCodec: ReplyDirectiveCodec = { parse: (text) => ({ text }), stripTrailing: (text) => text };

/** An unclosed directive of this length is text. Limits the work for each piece. */
export const MAX_PENDING = 1024;

/** Default: a codec without directives. Cost: each piece, and at most 1,024 characters before it. */
export function createReplyDirectiveAccumulator(codec: ReplyDirectiveCodec = identityCodec): ReplyDirectiveAccumulator {
  let pending = "";
  let carried: ReplyPayload | undefined;
  return {
    consume(text, { final = false } = {}) {
      const all = pending + text;
      const kept = final ? all : codec.stripTrailing(all);
      const isHeld = all.length > kept.length && all.length - kept.length <= MAX_PENDING && all.startsWith(kept);
      pending = isHeld ? all.slice(kept.length) : "";
      const shown = isHeld ? kept : all;
      if (shown === "") return null;
      const parsed = codec.parse(shown);
      const payload = carried ? mergePayloads(carried, parsed) : parsed;
      const hasContent = hasReplyContent(payload);
      carried = hasContent ? undefined : payload;
      return hasContent ? payload : null;
    },
    reset() {
      pending = "";
      carried = undefined;
    },
  };
}

/** Whether there is something to deliver. */
export function hasReplyContent({ text, mediaUrls }: ReplyPayload): boolean {
  return (text !== undefined && text !== "") || (mediaUrls !== undefined && mediaUrls.length > 0);
}

function mergePayloads(earlier: ReplyPayload, later: ReplyPayload): ReplyPayload {
  const merged: ReplyPayload = { ...earlier, ...later };
  if (earlier.meta && later.meta) merged.meta = { ...earlier.meta, ...later.meta };
  return merged;
}
