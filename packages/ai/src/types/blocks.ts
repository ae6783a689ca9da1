/** The blocks of messages: text, thinking, tool calls, images, files, and what a provider runs or keeps itself. */
import type { CacheLifetime } from "./tool.js";

/** One block of a user message or of a tool result. */
export type UserBlock = TextContent | ImageContent | FileContent;

/** One block of an assistant message. */
export type AssistantBlock =
  | TextContent
  | ThinkingContent
  | ToolCall
  | ServerToolContent
  | AssistantImage
  | FileContent
  | CompactionContent;

/** Text written by a user, a model or a tool. */
export interface TextContent {
  type: "text";
  /** The text. */
  text: string;
  /** Opaque provider data for this text; sent back only to the model that produced it. */
  textSignature?: string;
  /** The sources that the provider names for this text, in the order in which it named them. */
  citations?: Citation[];
  /** Ends a cached prefix at this block, in a message of the user or a tool result. See {@link CacheLifetime}. */
  cache?: CacheLifetime;
}

/** The JSON content of `textSignature` for text of the Responses API. */
export interface TextSignatureV1 {
  v: 1;
  /** The id of the message item. */
  id: string;
  /** Whether the text is commentary on the work or the final answer. */
  phase?: "commentary" | "final_answer";
}

/** A model's reasoning. */
export interface ThinkingContent {
  type: "thinking";
  /** Visible reasoning text; empty if the provider shows none. */
  thinking: string;
  /** Opaque provider data that verifies or replaces the text; sent back only to the model that produced it. */
  thinkingSignature?: string | undefined;
  /** True if the provider hid the text; `thinkingSignature` then holds the encrypted payload. */
  redacted?: boolean | undefined;
}

/** An embedded image. */
export interface ImageContent {
  type: "image";
  /** Base64 without a `data:` prefix. */
  data: string;
  /** For example `image/png`. */
  mimeType: string;
  /** Ends a cached prefix at this block, in a message of the user or a tool result. See {@link CacheLifetime}. */
  cache?: CacheLifetime;
}

/**
 * An image that a model made. A type of its own also because TypeScript resolves `content.filter(guard)` on any `Message`
 * only if the blocks of users are not subtypes of the blocks of assistants.
 */
export interface AssistantImage extends ImageContent {
  /** Opaque provider data; sent back only to the model that produced it. */
  signature?: string;
}

/** A model's request to run a tool. */
export interface ToolCall {
  type: "toolCall";
  /** The provider's id of the tool call. Its result refers to it as `toolCallId`. */
  id: string;
  /** The name of the tool to run. */
  name: string;
  /**
   * The parsed arguments. While the tool call streams, this is a live view that grows; from `toolcall_end` on it is
   * final.
   */
  // biome-ignore lint/suspicious/noExplicitAny: tool arguments have the shape of the tool's own schema; users read fields directly.
  arguments: Record<string, any>;
  /** Opaque provider data (Google: base64 thought signature; chat: JSON of encrypted reasoning details). */
  thoughtSignature?: string;
  /** The group of tools to which the provider says the tool belongs. */
  namespace?: string;
  /** The caller if it was not the model itself, such as code that the provider runs; as on the wire. */
  caller?: Record<string, unknown>;
  /** Why the arguments are not one complete JSON object. Such a tool call must not be executed. */
  argumentsError?: string;
  /** The argument text that arrived; present only with `argumentsError`. */
  argumentsText?: string;
}

/** A source of a text. The present fields depend on the provider. */
export interface Citation {
  /** The address of the source, always one of the web (`http:` or `https:`). */
  url?: string;
  /** The title of the source. */
  title?: string;
  /** The cited words of the source. */
  quote?: string;
  /** Where the supported part of the block's text begins, in UTF-16 units. */
  start?: number;
  /** Where the supported part of the block's text ends (exclusive), in UTF-16 units. */
  end?: number;
  /** The provider's name of the source where it has no address of the web: a file id, a document index, a container path. */
  source?: string;
  /** The citation as the provider sent it (JSON); sent back only to the model that produced it. */
  signature?: string;
}

/**
 * A tool that the provider runs, or one that the application runs in the provider's own format. `input`, `output` and
 * `errorText` are for people and programs. The provider gets its own items back from `signature`.
 */
export interface ServerToolContent {
  type: "serverTool";
  /** The provider's id of the use. */
  id: string;
  /** The provider's name of the tool, such as `web_search`, `code_execution`, `shell` or `mcp__docs__search`. */
  name: string;
  /**
   * - `running`: no result has arrived. A later response may bring it.
   * - `done`, `failed`: the tool has ended.
   * - `waiting`: the provider waits for the application. The next request needs a tool result with this block's `id`.
   */
  status: "running" | "done" | "failed" | "waiting";
  /** The parsed input: queries, code, a command. While the block streams, this is a live view that grows. */
  input?: Record<string, unknown>;
  /** The result: sources, standard output, files. */
  output?: unknown;
  /** Why the tool failed. */
  errorText?: string;
  /** The items of the provider, see `writeWireItems`. Opaque; sent back only to the model that produced them. */
  signature?: string;
}

/** A file: a document, audio or video. At least one of `data`, `url` and `fileId` is present. */
export interface FileContent {
  type: "file";
  /** For example `application/pdf`. */
  mimeType: string;
  /** Base64 without a `data:` prefix. */
  data?: string;
  /** An address from which the provider loads the file. */
  url?: string;
  /** The provider's id of a file that it keeps. */
  fileId?: string;
  /** The name of the file. */
  name?: string;
  /** Opaque provider data; sent back only to the model that produced it. */
  signature?: string;
  /** Ends a cached prefix at this block, in a message of the user or a tool result. See {@link CacheLifetime}. */
  cache?: CacheLifetime;
}

/** The provider's own summary of the older part of a conversation. */
export interface CompactionContent {
  type: "compaction";
  /** The summary, if the provider shows it. */
  text?: string;
  /** The item of the provider, see `writeWireItems`. Opaque; sent back only to the model that produced it. */
  signature?: string;
}
