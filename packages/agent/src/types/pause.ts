/** A pause: a run that ends because it needs an answer, and the answers with which it goes on. */
import type { ServerToolContent } from "pi-ai";
import type { AgentToolCall } from "./message.js";

/** A question to which a run needs an answer: whether a tool may run, or a question of the tool. */
export interface PauseRequest {
  /** Identifies the request in its conversation. */
  id: string;
  /**
   * An `approval` is asked for before a tool runs; a `question` is asked by the tool. An `order` needs no answer, and is in no
   * list: the call waits for one before it in a sequential batch.
   */
  kind: "approval" | "question" | "order";
  /** The id of the tool call. */
  toolCallId: string;
  /** The name of its tool. */
  toolName: string;
  /**
   * The arguments that the tool will receive, for people. If the parameters are a schema of a library, those that the model
   * sent: the library's output may not survive JSON.
   */
  arguments: AgentToolCall["arguments"];
  /** The question of the tool. */
  message?: string | undefined;
  /** The JSON Schema of the `value` that answers a question. Default: any value. */
  schema?: object | undefined;
  /** An address that the user must open to answer, such as a login. */
  url?: string | undefined;
  /** Why the answer before did not count, if the tool asks again: names the field and what it may hold, for people. */
  problem?: string | undefined;
  /** For a request of an agent that a tool runs: the ids of the calls that run it, the outermost first. */
  path?: readonly string[] | undefined;
  /** Unix time in milliseconds from which on no answer counts. Default: never. */
  expiresAt?: number | undefined;
  /** The answer that counts after that. Default: the request is declined. */
  default?: Omit<PauseAnswer, "id"> | undefined;
  /** Proves that an agent with the secret made the request for this call of this conversation. */
  signature?: string | undefined;
}

/** The answer to a {@link PauseRequest}. Anything but `approved: true` declines. */
export interface PauseAnswer {
  /** The id of the request. */
  id: string;
  /** Whether the tool may run, or whether the question is answered. */
  approved: boolean;
  /** Why it is declined, for the model. */
  reason?: string;
  /**
   * Whether the request was dismissed without a decision: the user has closed the question, has written a message instead, or
   * nobody answered in time. The request counts as declined, but an MCP server learns that it was cancelled.
   */
  cancelled?: boolean;
  /** Replaces the arguments of the call. They are validated as those of the model are, and the model learns of them. */
  arguments?: AgentToolCall["arguments"];
  /** The answer to a question. */
  value?: unknown;
  /**
   * The signature of the request that the user has seen. The answer then counts for this request only, and not for one of another
   * conversation with the same id. Default: the id is enough.
   */
  signature?: string;
  /** The name of the person who has answered, for the inspector and your own records. No model reads it. */
  by?: string;
}

/** Why a run ended before the model was done. */
export interface Pause {
  /** All open requests, in the order of the calls. */
  readonly requests: readonly PauseRequest[];
}

/**
 * How a new message of the user is treated while the conversation waits for answers: the run is refused with an error, or what is
 * open is declined first.
 */
export type OnNewMessage = "refuse" | "decline";

/**
 * The field `pause` of a message with the role `toolResult`: one state of a call that has paused. Such a message is no
 * result, and is never sent to a model. A conversation has one of a call, with the marks before it in `marks`, and its result
 * takes its place. Events, and what an earlier version has stored, have one message for each mark.
 */
export type CallMark =
  /** The call waits. */
  | { state: "waiting"; key: string; requests: readonly PauseRequest[]; resume?: unknown }
  | { state: "answered"; answers: readonly PauseAnswer[] }
  /** The tool is about to run. */
  | { state: "begun" };

/**
 * A mark that another one or the result has followed: when it was made, as Unix time in milliseconds, and the `details` of its
 * message, such as what an agent had used.
 */
export type EarlierMark = CallMark & { at?: number; details?: unknown };

/** The contents of one mark of a call that waits. */
export interface WaitingCall {
  /** The requests that it made. */
  readonly requests: readonly PauseRequest[];
  /** The value that the tool kept, see {@link ToolPausing}. */
  readonly resume?: unknown;
}

/** The call of a response that waits, with the arguments of the model: that which runs. */
export interface SignedCall {
  /** The id of the call. */
  readonly id: string;
  /** The name of the tool. */
  readonly name: string;
  /** The arguments as the model wrote them. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** For a tool of the provider: its block. */
  readonly serverTool?: ServerToolContent;
  /** Precedes the ids of its requests. */
  readonly key: string;
  /** The value that its tool has kept to go on, such as the conversation of an agent. */
  readonly resume?: unknown;
  /** A digest of what was answered before the call asked again. */
  readonly earlier?: string;
}

/** A call that has paused: what all of its marks say. */
export interface PausedCall {
  /** The call as the model has written it. It is what runs, unless the user has changed its arguments. */
  readonly call: AgentToolCall;
  /** Precedes the ids of its requests. */
  readonly key: string;
  /** Its marks with their requests, in their order. A request may be asked again. */
  readonly marks: readonly WaitingCall[];
  /** All of its requests, also those that are answered. */
  readonly requests: readonly PauseRequest[];
  /** The answers, by the id of their request. */
  readonly answers: ReadonlyMap<string, PauseAnswer>;
  /** Whether it has an answer that its tool has not seen yet. */
  readonly hasNews: boolean;
  /** Whether its tool was about to run, and may have run. */
  readonly hasBegun: boolean;
  /** The value that the tool has kept to go on, see {@link ToolPausing}. */
  readonly resume?: unknown;
}

/** A question that a tool asks the user. */
export interface ToolQuestion<TSchema extends object = object> {
  /** The question. */
  message: string;
  /** The schema of the answer, which describes an object. Default: any value. */
  schema?: TSchema;
  /** An address that the user must open, such as a login. It must begin with `https:`. */
  url?: string;
  /** How long the question can be answered, in milliseconds. Default: without end. */
  timeoutMs?: number | undefined;
  /** The answer after that time. Default: the question is declined. */
  default?: unknown;
}

/** Answers a request while the call runs, so that it does not pause. The request has no signature. */
export type LiveAnswer = (request: PauseRequest) => Promise<Omit<PauseAnswer, "id">>;

/**
 * The state that a call has left when it paused, for a tool that runs something that pauses of its own, or that passes on the questions
 * of others. `agentTool` and `mcpTools` use it.
 */
export interface ToolPausing {
  /** The value that {@link ToolPausing.pause} kept in an earlier run. */
  readonly resume: unknown;
  /** The answers to the requests of the call, with the ids that the tool gave them. */
  readonly answers: readonly PauseAnswer[];
  /**
   * Ends the call without a result. The run pauses, and the tool is called again when all requests are answered.
   *
   * @param resume kept in the transcript, so it must survive JSON
   */
  pause(requests: readonly PauseRequest[], resume: unknown): never;
  /**
   * Asks questions that the tool does not choose itself, all at once. Returns their answers in the same order, each with a value
   * that fits the schema, also those that decline. An answer counts for a question with the same message, schema and address
   * only: the tool may ask other ones when it is called again. Without all answers the call ends here, as with `ask`.
   *
   * @param options `resume` is kept in the transcript, so it must survive JSON; `answer` answers at once, and nothing pauses
   * @throws Error after 100 questions of a call
   */
  askAll(
    questions: readonly ToolQuestion[],
    options?: { resume?: unknown; answer?: LiveAnswer },
  ): Promise<readonly PauseAnswer[]>;
}
