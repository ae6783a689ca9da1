/**
 * The types of what a fork needs from the source of a run: the conversation to begin from, and a sender of requests.
 */
import type { Fields } from "./fields.js";

/** The conversation of a run, and what its requests sent besides the messages. */
export interface Origin {
  /** The messages before, in and after the run. The list grows with the conversation. */
  messages: readonly unknown[];
  /** Drops a message from memory. The list then has undefined in its place. */
  forget?: (index: number) => void;
  system?: unknown;
  /** Undefined if the source does not contain them. */
  tools?: unknown;
  model?: unknown;
  /** The level of thinking, such as `medium`. */
  thinking?: unknown;
}

/** @param messages the list in which `forget` replaces messages by undefined */
export function originOf(instructions: Omit<Origin, "messages" | "forget">, messages: unknown[]): Origin {
  const forget = (index: number): void => {
    messages[index] = undefined;
  };
  return { ...instructions, messages, forget };
}

/** Names a model. */
export interface ModelName {
  /** The vendor or host, such as `anthropic`. */
  provider: string;
  /** The model's id at the provider. */
  id: string;
}

/** A request of a fork. */
export interface ForkRequest {
  model: ModelName;
  /** The model of the original run, as it is in the source. */
  originalModel: unknown;
  system: string;
  tools: readonly unknown[];
  messages: readonly unknown[];
  thinking: string;
}

/** Aborts a request and receives its partial response. */
export interface SendOptions {
  signal: AbortSignal;
  /** Called with the response so far each time that it grows. */
  onPartial: (message: Fields) => void;
}

/** A tool call that the user has allowed to run. */
export interface AllowedCall {
  call: Fields;
  response: Fields;
  system: string;
  messages: readonly unknown[];
  signal: AbortSignal;
}

/** Sends the requests of forks, and runs their tools if it can. It has the keys, which the page never sees. */
export interface Launcher {
  /** Where requests are sent, as the end of a sentence that begins with "Requests go". */
  readonly target: string;
  /** The models that a fork can use besides that of the run. */
  readonly models: readonly ModelName[];
  /** Whether a fork can use any other model. */
  readonly anyModel: boolean;
  /**
   * Resolves with the message of the response, even if the provider reports an error. Rejects if nothing can be sent.
   */
  send(request: ForkRequest, options: SendOptions): Promise<Fields>;
  canRun(tool: string): boolean;
  /** Resolves with the `content` and `isError` of the result. */
  runTool(allowed: AllowedCall): Promise<Fields>;
  /** Called when the fork whose requests carry the signal has ended. */
  end?(signal: AbortSignal): Promise<void>;
}
