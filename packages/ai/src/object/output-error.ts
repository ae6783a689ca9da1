/** The error of a response that is not the requested output. */
import { PiError } from "../errors.js";
import type { AssistantMessage, ErrorInfo, ErrorKind, Usage } from "../types/message.js";
import type { OutputMode } from "./output-schema.js";

/** The fields of an {@link OutputError}. */
export interface OutputErrorFacts {
  /** The kind of failure. */
  kind: ErrorKind;
  /** The error text. */
  message: string;
  /** Every response, oldest first. */
  responses: readonly AssistantMessage[];
  /** Tokens and cost of all responses together. */
  usage: Usage;
  /** How the output was requested. */
  mode?: OutputMode | undefined;
  /** The text of the output that the model sent, for `invalid_output`. */
  text?: string | undefined;
  /** The value of that text, if it is JSON. */
  value?: unknown;
  /** The validator's words, one line for each fault. */
  errors?: readonly string[] | undefined;
  /** Whether the same request may succeed when it is sent again. Default false. */
  retryable?: boolean | undefined;
}

/**
 * The error for a response without the requested output. Its kind is the reason: `invalid_output` (the output does not fit
 * the schema, even after the repairs), `length` (the response reached the output limit), `content_filter` (the model or
 * the provider refused), `tool_use` (the model called only other tools), or the kind of the provider's failure, such as
 * `rate_limit`.
 */
export class OutputError extends PiError {
  override readonly name: string = "OutputError";
  /** Every response, oldest first. */
  readonly responses: readonly AssistantMessage[];
  /** Tokens and cost of all responses together. */
  readonly usage: Usage;
  /** How the output was requested; undefined for plain text. */
  readonly mode: OutputMode | undefined;
  /** The text of the output that the model sent, for `invalid_output`. */
  readonly text: string | undefined;
  /** The value of that text, if it is JSON. */
  readonly value: unknown;
  /** The validator's words, one line for each fault. */
  readonly errors: readonly string[];

  constructor(facts: OutputErrorFacts) {
    super(facts.kind, facts.message, { retryable: facts.retryable ?? false });
    this.responses = facts.responses;
    this.usage = facts.usage;
    this.mode = facts.mode;
    this.text = facts.text;
    this.value = facts.value;
    this.errors = facts.errors ?? [];
  }

  /** The last response. */
  get response(): AssistantMessage | undefined {
    return this.responses.at(-1);
  }

  override get info(): ErrorInfo {
    return { ...this.response?.error, kind: this.kind };
  }
}
