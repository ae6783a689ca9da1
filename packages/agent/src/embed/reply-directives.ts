/** Extracts directives, such as an attachment, from a streaming response. The product supplies their syntax. */

/** One reply to deliver. */
export interface ReplyPayload {
  /** What is said. */
  text?: string;
  /** What is attached. */
  mediaUrls?: string[];
  /** Audio goes out as a voice message. */
  audioAsVoice?: boolean;
  /** The message that this one replies to. */
  replyToId?: string;
  /** Whatever else a codec found. */
  meta?: Record<string, unknown>;
}

/** The syntax of directives. Text that is no directive must come out as it went in, its spaces too. */
export interface ReplyDirectiveCodec {
  /** Takes the directives out of a text. */
  parse(text: string): ReplyPayload;
  /** The text without the beginning of a directive at its end, if there is one: a prefix of the text. */
  stripTrailing(text: string): string;
}

/** Finds directives in a text that comes in pieces. */
export interface ReplyDirectiveAccumulator {
  /**
   * What the text so far, as far as it was not given out, says. `null` when there is nothing to deliver yet. What has no
   * text of its own, a reply-to for example, goes with the next text.
   */
  consume(text: string, options?: { final?: boolean }): ReplyPayload | null;
  /** Drops the held text, for another response. */
  reset(): void;
}

/** No directives at all. */
export const identityCodec: ReplyDirectiveCodec = { parse: (text) => ({ text }), stripTrailing: (text) => text };

/** A directive that is not over after so many characters is text. Bounds the work for each piece. */
const MAX_PENDING = 1024;

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
