/** Content of a response besides text, thinking and tool calls: citations, server tools, files, compactions, sandboxes. */

/**
 * How long the provider keeps the prompt up to a marked block or tool in its cache: its default time, or its longest one (at
 * Anthropic five minutes or an hour). Providers without such marks ignore it, and `cacheRetention: "none"` switches it off.
 * Anthropic and Bedrock take four marks in a request: of more, the last ones count, see the diagnostic
 * `cache_marks_omitted`.
 */
export type CacheLifetime = "short" | "long";

/** A source of a text. The present fields depend on the provider. */
export interface Citation {
  /** The address of the source. */
  url?: string;
  /** The title of the source. */
  title?: string;
  /** The cited words of the source. */
  quote?: string;
  /** Where the supported part of the block's text begins, in UTF-16 units. */
  start?: number;
  /** Where the supported part of the block's text ends (exclusive), in UTF-16 units. */
  end?: number;
  /** The provider's name of the source where it has no address: a file id, a document index, a container path. */
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

/** The sandbox that a response used. A later request can use it again. */
export interface ResponseContainer {
  /** The provider's id. */
  id: string;
  /** When the provider deletes the sandbox, in the provider's format. */
  expiresAt?: string;
}
