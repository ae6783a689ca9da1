/** The two things that a fork needs from the source of a run: the state to begin from, and a sender of requests. */
import type { Fields } from "./fields.js";

/** The conversation of a run and what its requests sent beside the messages. */
export interface Origin {
  /** The messages before, in and after the run; the list grows while the run is under way. */
  messages: readonly unknown[];
  /** Drops a message from memory. Its place stays, as undefined. */
  forget?: (index: number) => void;
  system?: unknown;
  /** Undefined where the source does not say. */
  tools?: unknown;
  model?: unknown;
  /** The level of thinking, such as `medium`. */
  thinking?: unknown;
}

/** @param messages is changed when one is forgotten */
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
  /** The model of the original run, as its source holds it. */
  originalModel: unknown;
  system: string;
  tools: readonly unknown[];
  messages: readonly unknown[];
  thinking: string;
}

/** How a request is watched and ended. */
export interface SendOptions {
  signal: AbortSignal;
  /** Receives the response so far, each time that it grew. */
  onPartial: (message: Fields) => void;
}

/** A tool call that the user has allowed. */
export interface AllowedCall {
  call: Fields;
  response: Fields;
  system: string;
  messages: readonly unknown[];
  signal: AbortSignal;
}

/** Sends the requests of forks, and runs their tools where it can. It holds the keys; the page never sees them. */
export interface Launcher {
  /** Where requests go, as the end of the sentence "Requests go". */
  readonly target: string;
  /** The models that a fork can choose beside that of the run. */
  readonly models: readonly ModelName[];
  /** Whether a fork can name any other model. */
  readonly anyModel: boolean;
  /** Resolves with the message of the response, also if the request failed. */
  send(request: ForkRequest, options: SendOptions): Promise<Fields>;
  canRun(tool: string): boolean;
  /** Resolves with the `content` and `isError` of the result. */
  runTool(allowed: AllowedCall): Promise<Fields>;
}
