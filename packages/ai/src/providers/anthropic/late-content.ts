/** Finds requests with rare content (files, citations, blocks of server tools), and loads the code for it. */
import type { Context } from "../../types/context.js";
import type { AssistantBlock, Message, UserBlock } from "../../types/message.js";
import { type LateCode, lateCode } from "../../utils/late-code.js";

export const ownContent: LateCode<typeof import("./own-content.js")> = /* @__PURE__ */ lateCode(
  () => import("./own-content.js"),
);

/** Whether a request needs the code, or its response probably does. */
export function needsOwnContent({ messages, tools }: Context): boolean {
  return (
    messages.some(({ content }) => Array.isArray(content) && content.some(isOwn)) ||
    Boolean(tools?.some(({ server }) => server))
  );
}

/** The code for these messages; undefined if they need none. */
export function ownCodeFor(messages: Message[]): typeof import("./own-content.js") | undefined {
  return needsOwnContent({ messages }) ? ownContent.get() : undefined;
}

function isOwn(block: AssistantBlock | UserBlock | null | undefined): boolean {
  switch (block?.type) {
    case undefined:
    case "thinking":
      return false;
    case "text":
      return "citations" in block;
    case "toolCall":
      return block.caller !== undefined;
    default:
      return true;
  }
}
