/** Requests typed output, and requests it again if it does not fit the schema. */
import { assertModel } from "../catalogue/index.js";
import { ConfigError } from "../errors.js";
import { addUsage, normalizeContext } from "../message/index.js";
import { streamSimple } from "../stream.js";
import type { Context } from "../types/context.js";
import type { ContextInput } from "../types/context-input.js";
import type { AssistantMessageEvent } from "../types/event.js";
import type { AssistantMessage, Usage } from "../types/message.js";
import type { Model } from "../types/model.js";
import type { AssistantResponseStream, SimpleStreamOptions, StreamFn } from "../types/options.js";
import { nameValue } from "../utils/name-value.js";
import { findMisspelt } from "../utils/nearest-names.js";
import { isRetryableAssistantError } from "../utils/retryable.js";
import { StreamingJsonParser } from "../wire/index.js";
import { OutputError } from "./output-error.js";
import { OutputPlan, type OutputReading, type OutputRequest } from "./output-plan.js";
import type { DeepPartial, ObjectOf, OutputMode } from "./output-schema.js";
import { unwrap } from "./wrap-schema.js";

/** Options of `completeObject` and `streamObject`. */
export interface ObjectOptions<TSchema extends object = object>
  extends OutputRequest<TSchema>,
    Omit<SimpleStreamOptions, "outputFormat" | "toolChoice"> {
  /**
   * How often an output that does not fit the schema is sent back to the model with the validator's errors. Each repair is
   * one more request. Default 1.
   */
  maxRepairs?: number | undefined;
  /** Sends the requests. Default: `streamSimple`. */
  streamFn?: StreamFn | undefined;
}

/** A typed output and how it was produced. */
export interface ObjectResult<TObject> {
  /** The output. It fits the schema. */
  object: TObject;
  /** The response with the output. Its `diagnostics` list the changes to the schema. */
  message: AssistantMessage;
  /** Every response, oldest first; more than one if there were repairs, or if the provider interrupted one. */
  responses: AssistantMessage[];
  /** Tokens and cost of all responses together. */
  usage: Usage;
  /** How the output was requested. */
  mode: OutputMode;
}

/** The output so far. */
export interface ObjectUpdate<TObject> {
  /** One object that grows with every update of the same attempt. Read it synchronously, or copy it. */
  partial: DeepPartial<TObject>;
  /** 0 for the first request, 1 for the first repair, whose output starts anew, and so on. */
  attempt: number;
}

const DEFAULT_MAX_REPAIRS = 1;
/** How often a response that the provider interrupted, for example while its tools run, is continued. */
const MAX_PAUSES = 10;

/** A request for typed output whose input has been checked. */
interface ObjectJob<TSchema extends object> {
  model: Model;
  context: Context;
  plan: OutputPlan<TSchema>;
  options: SimpleStreamOptions;
  maxRepairs: number;
  streamFn: StreamFn;
}

const OWN_OPTIONS = ["schema", "name", "description", "mode", "maxRepairs", "streamFn"];

/** @throws ConfigError if the model, the context, the schema or an option cannot be used */
export function createJob<TSchema extends object>(
  model: Model,
  context: string | ContextInput,
  options: ObjectOptions<TSchema>,
): ObjectJob<TSchema> {
  assertModel(model);
  // A missing argument is reported as a missing schema.
  const { schema, name, description, mode, maxRepairs = DEFAULT_MAX_REPAIRS, streamFn, ...rest } = options ?? {};
  if (!Number.isInteger(maxRepairs) || maxRepairs < 0) {
    throw new ConfigError(`The option maxRepairs must be an integer of at least 0, not ${nameValue(maxRepairs)}`);
  }
  // Others go to the stream function.
  const misspelt = findMisspelt(rest, OWN_OPTIONS);
  if (misspelt) throw new ConfigError(`Unknown option "${misspelt.name}": did you mean "${misspelt.near}"?`);
  if (streamFn !== undefined && typeof streamFn !== "function")
    throw new ConfigError("The option streamFn must be a function, such as a route, not what it returns");
  const normalized = normalizeContext(context);
  const plan = new OutputPlan(model, normalized, { schema, name, description, mode });
  return { model, context: normalized, plan, options: rest, maxRepairs, streamFn: streamFn ?? streamSimple };
}

type Updates<TSchema extends object> = AsyncGenerator<ObjectUpdate<ObjectOf<TSchema>>, ObjectResult<ObjectOf<TSchema>>>;

/**
 * Yields the output so far, and returns the result.
 *
 * @param showsPartials whether to read the events; reading only the result is faster
 * @throws OutputError
 */
export async function* runAttempts<TSchema extends object>(
  job: ObjectJob<TSchema>,
  showsPartials: boolean,
): Updates<TSchema> {
  const { model, plan, maxRepairs, streamFn } = job;
  const options = plan.extendOptions(job.options);
  const responses: AssistantMessage[] = [];
  let context = plan.extendContext(job.context);
  let attempt = 0;
  for (;;) {
    const source = checkSource(await streamFn(model, context, options));
    if (showsPartials) yield* readPartials(plan, source, attempt);
    const message = await (source.resultOnly && !showsPartials ? source.resultOnly() : source.result());
    responses.push(message);
    if (message.stopReason === "pause" && responses.length - attempt <= MAX_PAUSES) {
      context = { ...context, messages: [...context.messages, message] };
      continue;
    }
    const reading = await plan.read(message);
    if (reading.type === "object") {
      return { object: reading.object, message, responses, usage: addUsage(responses), mode: plan.mode };
    }
    if (reading.type === "failed" || attempt === maxRepairs) throw toError(reading, plan.mode, responses);
    context = { ...context, messages: [...context.messages, ...plan.repair(message, reading.errors)] };
    attempt++;
  }
}

/** A custom `streamFn` may lack its `return`. */
function checkSource(source: AssistantResponseStream | undefined): AssistantResponseStream {
  if (source) return source;
  throw new ConfigError("The option streamFn must return a stream, not undefined");
}

async function* readPartials<TSchema extends object>(
  plan: OutputPlan<TSchema>,
  source: AssistantResponseStream,
  attempt: number,
): AsyncGenerator<ObjectUpdate<ObjectOf<TSchema>>, void> {
  const partial = new PartialOutput(plan);
  for await (const event of source) {
    // The partial value has the type of the schema with every part optional. The whole value is checked at the end.
    if (partial.read(event)) yield { partial: partial.value as DeepPartial<ObjectOf<TSchema>>, attempt };
  }
}

function toError(
  reading: Exclude<OutputReading, { type: "object" }>,
  mode: OutputMode,
  responses: readonly AssistantMessage[],
): OutputError {
  const facts = { responses, usage: addUsage(responses), mode };
  const last = responses.at(-1);
  if (reading.type === "failed") {
    const { kind, message } = reading;
    return new OutputError({ ...facts, kind, message, retryable: last && isRetryableAssistantError(last) });
  }
  const { errors, text, value } = reading;
  const list = errors.map((line) => `  - ${line}`).join("\n");
  const message = `The output does not fit the schema (responses: ${responses.length}):\n${list}`;
  return new OutputError({ ...facts, kind: "invalid_output", message, text, value, errors });
}

/**
 * One object that grows, in linear time. It leaves out numbers that may still grow, incomplete escapes, and nulls that may
 * stand for absent properties.
 */
class PartialOutput {
  readonly #plan: OutputPlan;
  readonly #parser: StreamingJsonParser;
  /** Whether the JSON has begun; text before it is skipped. */
  #begun = false;
  /** The block of the tool call, once its name is known. */
  #call: number | undefined;

  constructor(plan: OutputPlan) {
    this.#plan = plan;
    this.#parser = new StreamingJsonParser({ hidesOpenNumbers: true, omitsNull: (path) => plan.isAddedNull(path) });
  }

  /** The output so far; undefined while there is none. */
  get value(): unknown {
    const { value } = this.#parser;
    return this.#plan.wrapped ? unwrap(value) : value;
  }

  /** Adds an event. Returns whether the output has changed. */
  read(event: AssistantMessageEvent): boolean {
    if (this.#plan.mode === "tool" ? !this.#isOwnCall(event) : event.type !== "text_delta") return false;
    return "delta" in event && this.#feed(event.delta);
  }

  #isOwnCall(event: AssistantMessageEvent): boolean {
    if (event.type !== "toolcall_delta") return false;
    if (this.#call !== undefined) return this.#call === event.contentIndex;
    const block = event.partial.content[event.contentIndex];
    if (block?.type !== "toolCall" || block.name !== this.#plan.name) return false;
    this.#call = event.contentIndex;
    return true;
  }

  #feed(delta: string): boolean {
    const start = this.#begun ? 0 : delta.indexOf("{");
    if (start === -1 || delta === "") return false;
    this.#begun = true;
    this.#parser.feed(start === 0 ? delta : delta.slice(start));
    return this.value !== undefined;
  }
}
