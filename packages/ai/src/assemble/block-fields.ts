/** The block fields that a mapping sets, with a check for each value, because the server is untrusted. */
import type { AssistantBlock } from "../types/message.js";
import type { ServerToolContent } from "../types/provider-content.js";
import { isRecord } from "../utils/is-object.js";
import { isText } from "../utils/is-text.js";

/**
 * The fields that the builder computes from deltas and citations, and those that only an application sets. The text of a
 * compaction arrives whole.
 */
type AssembledField<TBlock> = TBlock extends { type: "compaction" }
  ? "type"
  : "type" | "text" | "thinking" | "arguments" | "argumentsError" | "argumentsText" | "citations" | "cache";

/** The other fields of a block. */
export type SettableFields<TBlock> = {
  [TName in Exclude<keyof TBlock, AssembledField<TBlock>>]?: TBlock[TName] | undefined;
};

/** The block with this `type`. */
export type BlockOf<TType extends AssistantBlock["type"]> = Extract<AssistantBlock, { type: TType }>;

type Check = (value: unknown) => boolean;
type ChecksOf<TBlock> = { readonly [TName in keyof SettableFields<TBlock>]-?: Check };

const STATUSES: ReadonlySet<string> = new Set<ServerToolContent["status"]>(["running", "done", "failed", "waiting"]);

// A record of all fields, so that a new one fails to compile here instead of being lost.
const CHECKS: { readonly [TType in AssistantBlock["type"]]: ChecksOf<BlockOf<TType>> } = {
  text: { textSignature: isText },
  // An empty signature is a fact: the server does not sign thinking.
  thinking: { thinkingSignature: isString, redacted: isTrue },
  toolCall: { id: isText, name: isText, thoughtSignature: isText, namespace: isText, caller: isRecord },
  serverTool: {
    id: isText,
    name: isText,
    status: (value) => typeof value === "string" && STATUSES.has(value),
    input: isRecord,
    output: (value) => value !== undefined && value !== null,
    errorText: isText,
    signature: isText,
  },
  image: { data: isText, mimeType: isText, signature: isText },
  file: { mimeType: isText, data: isText, url: isText, fileId: isText, name: isText, signature: isText },
  compaction: { text: isText, signature: isText },
};

/** Sets the valid fields of the block's type. Changes the block and returns it. */
export function withFields<TBlock extends AssistantBlock>(block: TBlock, fields: object): TBlock {
  const checks: Readonly<Record<string, Check>> = CHECKS[block.type];
  for (const name in checks) {
    const value: unknown = Reflect.get(fields, name);
    if (checks[name]?.(value)) Reflect.set(block, name, value);
  }
  return block;
}

/** Whether {@link withFields} would set a field. */
export function hasFields(type: AssistantBlock["type"], fields: object): boolean {
  const checks: Readonly<Record<string, Check>> = CHECKS[type];
  for (const name in checks) {
    if (checks[name]?.(Reflect.get(fields, name))) return true;
  }
  return false;
}

function isString(value: unknown): boolean {
  return typeof value === "string";
}

function isTrue(value: unknown): boolean {
  return value === true;
}
