/** The names that the fields of blocks have in the events of a relay. The server and the client both read this table. */
import type { BlockOf, SettableFields } from "../message/index.js";
import type { AssistantBlock } from "../types/message.js";
import type { ProxyBlockFields } from "./proxy-event.js";

/** The name of a field, or `whole` for one that travels in the complete block. */
type NamesOf<TBlock> = { readonly [TName in keyof SettableFields<TBlock>]-?: keyof ProxyBlockFields | "whole" };

/** The name of each block field in events of the relay. */
export const WIRE_NAMES: { readonly [TType in AssistantBlock["type"]]: NamesOf<BlockOf<TType>> } = {
  text: { textSignature: "contentSignature" },
  thinking: { thinkingSignature: "contentSignature", redacted: "redacted" },
  toolCall: {
    id: "id",
    name: "toolName",
    thoughtSignature: "thoughtSignature",
    namespace: "namespace",
    caller: "caller",
  },
  serverTool: {
    id: "whole",
    name: "whole",
    status: "whole",
    errorText: "whole",
    input: "whole",
    output: "whole",
    signature: "whole",
  },
  image: { data: "whole", mimeType: "whole", signature: "whole" },
  file: { mimeType: "whole", data: "whole", url: "whole", fileId: "whole", name: "whole", signature: "whole" },
  compaction: { text: "whole", signature: "whole" },
};
