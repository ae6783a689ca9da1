/** Plays one prepared response as a provider would stream it. */
import type { AssistantMessageBuilder } from "../assemble/assistant-message-builder.js";
import type { BlockStart, UsageCounts } from "../assemble/message-sink.js";
import { AbortedError } from "../errors.js";
import { unknownBlock } from "../handoff/unknown-block.js";
import type { AssistantMessage } from "../types/message.js";
import type { FauxContentBlock } from "./faux-message.js";

export interface FauxPlan {
  response: AssistantMessage;
  usage: UsageCounts;
  builder: AssistantMessageBuilder;
  signal: AbortSignal | undefined;
  /** Returns the length of the next piece, in tokens of four characters. */
  nextSize: () => number;
  /** Waits before a piece of this many tokens. */
  pace: (tokens: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** Emits the blocks in pieces; the caller ends the message. Throws an `AbortedError` if the signal aborts. */
export async function playResponse(plan: FauxPlan): Promise<void> {
  const { response, builder, signal } = plan;
  if (signal?.aborted) throw new AbortedError();
  builder.response(response);
  builder.usage(plan.usage);
  builder.start();
  for (const [index, block] of response.content.entries()) await playBlock(index, block, plan);
  builder.stop(
    response.stopReason,
    response.errorMessage,
    response.error?.kind ?? (response.stopReason === "aborted" ? "aborted" : "unknown"),
  );
}

async function playBlock(index: number, block: FauxContentBlock, plan: FauxPlan): Promise<void> {
  const { builder } = plan;
  builder.open(index, startOf(block));
  for (const piece of cutText(textOf(block), plan.nextSize)) {
    await plan.pace(Math.ceil(piece.length / 4), plan.signal);
    if (plan.signal?.aborted) throw new AbortedError();
    builder.append(index, piece);
  }
  if (block.type === "serverTool") builder.patch(index, { ...block, input: undefined });
  builder.close(index);
  if (block.type === "text") for (const citation of block.citations ?? []) builder.cite(index, citation);
}

/** The block as it begins: arguments and inputs follow in pieces, and a result at the end. */
function startOf(block: FauxContentBlock): BlockStart {
  if (block.type === "toolCall" && block.arguments) return { ...block, arguments: undefined };
  if (block.type === "serverTool") return { type: "serverTool", id: block.id, name: block.name };
  return block;
}

function textOf(block: FauxContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "thinking":
      return block.thinking;
    case "toolCall":
      return block.argumentsText ?? JSON.stringify(block.arguments ?? {});
    case "serverTool":
      return block.input ? JSON.stringify(block.input) : "";
    case "image":
    case "file":
    case "compaction":
      return "";
    default:
      throw unknownBlock(block);
  }
}

/** Splits a text into pieces of the given sizes, never inside a surrogate pair. */
function* cutText(text: string, nextSize: () => number): Generator<string> {
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + 4 * nextSize());
    const last = text.charCodeAt(to - 1);
    if (to < text.length && last >= 0xd800 && last <= 0xdbff) to++;
    yield text.slice(from, to);
    from = to;
  }
}
