/**
 * The interface between a provider's wire format and the library's events. A mapping turns each wire event into calls
 * on this interface and keeps no message state; the builder behind it is the only producer of events.
 */
import type {
  AssistantBlock,
  AssistantImage,
  AssistantMessage,
  Citation,
  CompactionContent,
  ErrorInfo,
  ErrorKind,
  FileContent,
  MessageFacts,
  ServerToolContent,
  StopReason,
  TextContent,
  ThinkingContent,
  ToolCall,
  Usage,
} from "../types/message.js";
import type { Model } from "../types/model.js";
import { isRecord } from "../utils/is-object.js";
import { isText } from "../utils/read-text.js";
import { visibleLine, visibleText } from "../utils/visible-text.js";

/** Names a block while it streams: a wire index, an item id, or a constant such as `"text"`. */
export type BlockKey = string | number;

type StartOf<TType extends AssistantBlock["type"]> = { type: TType } & SettableFields<BlockOf<TType>>;

/** The fields that a block begins with. */
export type BlockStart =
  | Exclude<{ [TType in AssistantBlock["type"]]: StartOf<TType> }[AssistantBlock["type"]], { type: "toolCall" }>
  | (StartOf<"toolCall"> & {
      /** Arguments that arrive complete with the start; used if no delta follows. */
      arguments?: unknown;
    });

/** Fields that may arrive while a block streams, or later. Each applies to one type of block. */
export type BlockFields = SettableFields<TextContent> &
  SettableFields<ThinkingContent> &
  SettableFields<ToolCall> &
  SettableFields<ServerToolContent> &
  Pick<SettableFields<AssistantImage | FileContent | CompactionContent>, "signature">;

/** The counts of {@link Usage} that a mapping reports; the total and the cost are computed. */
export type CountName = Exclude<keyof Usage, "totalTokens" | "cost">;

/** Token counts, disjoint as in {@link Usage}. An undefined count keeps its value. */
export type UsageCounts = { [TName in CountName]?: Usage[TName] | undefined } & {
  /** Multiplies the cost: the factor of a service tier. Undefined keeps the value, at first 1. */
  costFactor?: number | undefined;
  /** The model whose prices apply, if another one answered. Undefined keeps the value. */
  pricedAs?: Pick<Model, "cost"> | undefined;
  /** US dollars for charges other than tokens, such as web searches. Undefined keeps the value. */
  extraCost?: number | undefined;
  /** US dollars: the price that the response states for itself. Undefined keeps the value. */
  reportedCost?: number | undefined;
};

/** Facts about the whole response. `responseModel` is kept only if it differs from the requested model. */
export type ResponseFacts = {
  [TName in Exclude<keyof MessageFacts, "diagnostics">]?: MessageFacts[TName] | null | undefined;
};

/**
 * Receives what a mapping reads from a wire event. The cost of each operation does not depend on the length of the text
 * so far.
 */
export interface MessageSink {
  /** How many blocks have begun: the place of the next one. */
  readonly length: number;
  /** The text so far of the block that has this key, if it is text or thinking, or the arguments of a tool call; empty for other keys. */
  textOf(key: BlockKey): string;
  /**
   * Begins a block and ends open text or thinking. For APIs that announce blocks. A key that is in use is reassigned to
   * the new block. Images, files and compactions come whole: the block ends at once.
   */
  open(key: BlockKey, block: BlockStart): void;
  /** Calls {@link open} unless the key is open. For APIs that do not announce blocks. */
  ensure(key: BlockKey, block: BlockStart): void;
  /**
   * Appends text, or the JSON of a tool's arguments or input, to a block. Ignored for a key that was never opened. Text or
   * thinking that another block ended continues in a new block.
   */
  append(key: BlockKey, delta: string): void;
  /**
   * Sets fields. Ignores empty and missing values. Only an open server tool emits an event for it. Signatures may arrive
   * after the block is closed; id and name of a tool call are then final.
   */
  patch(key: BlockKey, fields: BlockFields): void;
  /**
   * Ends a block. `final` is the whole content, if the wire repeats it; what the deltas left out is added. For a server
   * tool it holds its last fields, which then need no event of their own.
   */
  close(key: BlockKey, final?: string | BlockFields): void;
  /** Adds a citation to a text block, which may be closed. Ignored for other keys. */
  cite(key: BlockKey, citation: Citation): void;
  /** Merges token counts. Totals and cost are computed behind this interface, once. */
  usage(counts: UsageCounts): void;
  /**
   * Stores facts about the response. Ignores empty values, and keeps the first value of each fact.
   *
   * @param replace whether these facts replace earlier ones, because another model took over. Default false
   */
  response(facts: ResponseFacts, replace?: boolean): void;
  /**
   * Adds a diagnostic to the message: a fact that neither content nor stop reason expresses, such as the text of a
   * refusal.
   */
  note(type: string, details?: Record<string, unknown>, error?: unknown): void;
  /**
   * Stores why the response ended; the end marker has arrived. `toolUse` is inferred if the reason is `stop` and there is a
   * tool call or a server tool that waits. `message` and `kind` describe an `error`.
   */
  stop(reason: StopReason, message?: string, kind?: ErrorKind): void;
}

/** Why a message failed. */
export interface Failure {
  /** Whether the caller aborted or an error occurred. */
  reason: Extract<StopReason, "error" | "aborted">;
  /** The error text. */
  errorMessage: string;
  /** The facts of the failure, for programs. */
  error: ErrorInfo;
}

// What a mapping passes on comes from an untrusted server, so each value is checked.

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
const BLOCK_CHECKS: { readonly [TType in AssistantBlock["type"]]: ChecksOf<BlockOf<TType>> } = {
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

/** Fields that people read. The provider gets its own items back from the signature. */
const SHOWN_FIELDS: {
  readonly [TType in AssistantBlock["type"]]?: Readonly<Record<string, (text: string) => string>>;
} = { serverTool: { errorText: visibleText }, file: { name: visibleLine } };

/** Sets the valid fields of the block's type. Changes the block and returns it. */
export function withFields<TBlock extends AssistantBlock>(block: TBlock, fields: object): TBlock {
  const checks: Readonly<Record<string, Check>> = BLOCK_CHECKS[block.type];
  for (const name in checks) {
    const value: unknown = Reflect.get(fields, name);
    if (!checks[name]?.(value)) continue;
    const show = SHOWN_FIELDS[block.type]?.[name];
    Reflect.set(block, name, show && typeof value === "string" ? show(value) : value);
  }
  return block;
}

/** Whether {@link withFields} would set a field. */
export function hasFields(type: AssistantBlock["type"], fields: object): boolean {
  const checks: Readonly<Record<string, Check>> = BLOCK_CHECKS[type];
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

// A record of all facts, so that a new one fails to compile here instead of being lost.
const FACT_CHECKS: {
  readonly [TName in keyof ResponseFacts]-?: (value: unknown, model: Pick<Model, "id">) => boolean;
} = {
  responseId: isText,
  responseModel: (value, model) => isText(value) && value !== model.id,
  stopSequence: isText,
  container: (value) => isRecord(value) && isText(value["id"]),
};

/** The facts with a good value that are not known yet; undefined where there are none. */
export function newFacts(
  known: Partial<AssistantMessage>,
  facts: ResponseFacts,
  model: Pick<Model, "id">,
): Partial<MessageFacts> | undefined {
  let found: Partial<MessageFacts> | undefined;
  // Object.keys has no narrower type; the record names exactly these keys.
  for (const name of Object.keys(FACT_CHECKS) as (keyof ResponseFacts)[]) {
    if (known[name] || !FACT_CHECKS[name](facts[name], model)) continue;
    found = { ...found, [name]: facts[name] };
  }
  return found;
}
