/** The form of a host's row: everything that can be known about one. */
import type { OpenAICompletionsCompat, OpenAIResponsesCompat, ThinkingFormat } from "../../types/compat.js";
import type { KnownApi, Provider } from "../../types/model.js";
import type { ModelFacts } from "./family.js";
import type { ModelMatch } from "./match.js";

/**
 * One row. Its flags apply to the models of its accounts, whatever their address, and to all models at its addresses.
 */
export interface Host extends HostFlags, Pick<ModelMatch, "hosts" | "loopback" | "ports"> {
  /** By provider. Without any, the host is known by its address only. */
  accounts?: Readonly<Record<Provider, Account>>;
  /** Flags of some models, and flags of the host's addresses only: not of a proxy that takes the provider's name. */
  only?: readonly (HostFlags & Pick<ModelMatch, "ids" | "facts"> & { atOwnAddress?: true })[];
}

/** A provider of the catalogue. A company has several if its regions or plans have keys of their own. */
export interface Account {
  /** The environment variables that hold its key, in order of precedence. Empty: the key is an option only. */
  keys: readonly string[];
  /** Its base URL for Chat Completions, or for each of its apis. */
  url?: string | Partial<Readonly<Record<KnownApi, string>>>;
  /** Its id in the source of prices and limits; for a plan, the id of the plan. Default: the provider. */
  listing?: string;
}

/** Accounts by provider. */
export type Accounts = ReadonlyMap<Provider, Account>;

/** The flags of OpenAI's two apis, and facts of its models that the host changes. Those of the Messages API are in `anthropic.ts`. */
export interface HostFlags {
  chat?: CompletionsFlags;
  responses?: ResponsesFlags;
}

/** The flags of a server of Chat Completions: what it takes and sends. */
export interface CompletionsFlags
  extends ModelFacts,
    Omit<OpenAICompletionsCompat, "maxTokensField" | "thinkingFormat"> {
  /**
   * The host does not know the role `system`: models that do not think get `developer`, too. A model's own
   * `supportsDeveloperRole: false` still wins, for a proxy that takes the provider's name.
   */
  systemRole?: "developer";
  /** How thinking is asked for: a format that several hosts share, or the host's own fields. */
  thinkingFormat?: ThinkingFormat | ThinkingRequest;
  /** The field in which thinking comes. Default: the common ones, whichever arrives. */
  thinkingIn?: string;
  /** The field in which the server takes earlier thinking. Default: the one in which it came. */
  thinkingBackIn?: string;
  /**
   * Where the counts stand, if not in `usage` of the chunk, or what its names are: an object with the names of OpenAI's
   * `usage`. It comes before `usage`, whole: cached tokens that it leaves out are 0. A host without this is read in all the
   * places that the table of hosts knows where a chunk has no `usage`, because a gateway passes on what its hosts send. So
   * chunks of any host come here; a result without a number of `prompt_tokens` or `completion_tokens` is skipped.
   */
  usageOf?: (chunk: unknown, choice: unknown) => unknown;
  /**
   * The error of a chunk, if it does not stand in `error`: an object with the names of OpenAI's `error`, such as `message` and
   * `code`; undefined for a chunk without one.
   */
  errorOf?: (chunk: unknown) => unknown;
  /** The ids of tool calls that the server accepts. Others are replaced, also those of its own models. Default: as OpenAI. */
  toolCallIds?: { pattern: RegExp; maxLength: number };
  /** The field that limits the length of the response. */
  maxTokensField?: string;
  /** The base URL is OpenAI's own. */
  isOpenAI?: boolean;
  /** The most stop sequences of a request. Default: no limit is known. */
  maxStopSequences?: number;
  /** The server's own words for the tiers, and all that it has. Default: OpenAI's words, and the server decides. */
  serviceTiers?: { words: Readonly<Record<string, string>>; own: readonly string[] };
  /** Which header carries the key. */
  auth?: "bearer" | "cloudflare-gateway";
  /** GitHub Copilot's headers that depend on the conversation. */
  sendCopilotHeaders?: boolean;
  /** The maximum bytes of all inline files and images in a request; undefined: unknown. */
  inlineBytes?: number;
  /** A file may be sent as a URL instead of its data. */
  takesFileUrls?: boolean;
  /**
   * The field that marks a block for the cache, if the application asks for it. With `cacheControlFormat`, the request places
   * marks of its own as well.
   */
  cacheMarks?: "cache_control" | "prompt_cache_breakpoint" | undefined;
  /** The host refuses a conversation without a message of the user. */
  requiresUserMessage?: boolean;
  /** Omit the thinking fields while thinking is off. */
  omitsThinkingOff?: boolean;
  /** The effort that turns thinking off, for models without a `thinkingLevelMap`. */
  effortOff?: string;
}

/** Thinking settings, with the server's own level names. */
export interface ThinkingSettings {
  on: boolean;
  /** The server's name for the level; for off, null if the model always thinks. */
  effort: string | null | undefined;
  /** Whether `effort` is a name that the model knows: it has a `thinkingLevelMap`, its own or that of its family. */
  hasLevelNames: boolean;
  flags: CompletionsFlags;
}

/** The fields of a request that ask for thinking. */
export interface ThinkingRequest {
  build(thinking: ThinkingSettings): Record<string, unknown>;
  /**
   * Whether `reasoning_effort` is sent too: `never` if these fields hold the effort themselves, `onRequest` if the flag
   * `supportsReasoningEffort` is true, `unlessRefused` if that flag is not false.
   */
  effort: "never" | "onRequest" | "unlessRefused";
  /** Whether `reasoning_effort` also switches thinking off. Default false: another field does. */
  effortSwitchesOff?: boolean | undefined;
}

/** The flags of a server of the Responses API. */
export interface ResponsesFlags extends ModelFacts, OpenAIResponsesCompat {
  /** The server takes `reasoning.summary`. */
  supportsReasoningSummary?: boolean;
  /** Which header carries the key. */
  auth?: "bearer" | "cloudflare-gateway";
  /** GitHub Copilot's headers that depend on the conversation. */
  sendCopilotHeaders?: boolean;
  /** Omit the thinking fields while thinking is off. */
  omitsThinkingOff?: boolean;
  /** The server requires a tool call's item id to begin with `fc`; tool calls of other models get such an id. */
  pairedCallIds?: boolean;
  /** The model accepts `prompt_cache_breakpoint` in blocks of messages and tool results. */
  supportsCacheBreakpoints?: boolean;
  /** The response reports the tier `default` even if the request was served at another tier. */
  reportsDefaultTier?: boolean;
}
