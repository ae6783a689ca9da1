/** The names that the fields of blocks have in the events of a relay. The server and the client both read this table. */
import type { BlockOf, SettableFields } from "../assemble/block-fields.js";
import type { AssistantBlock } from "../types/message.js";
import type { ProxyBlockFields } from "./proxy-event.js";

type NamesOf<TBlock> = { readonly [TName in keyof SettableFields<TBlock>]-?: keyof ProxyBlockFields };

/** The name of each block field in events of the relay. */
export const WIRE_NAMES: { readonly [TType in AssistantBlock["type"]]: NamesOf<BlockOf<TType>> } = {
  text: { textSignature: "contentSignature" },
  thinking: { thinkingSignature: "contentSignature", redacted: "redacted" },
  toolCall: { id: "id", name: "toolName", thoughtSignature: "thoughtSignature" },
};
