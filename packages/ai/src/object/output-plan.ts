/** Chooses how to request typed output from a model, prepares the request, and reads the response. */
import { resolveOutputRules } from "../catalogue/compat/index.js";
import { ConfigError, cutText } from "../errors.js";
import type { Context, Tool } from "../types/context.js";
import type { AssistantMessage, ErrorKind, Message, ToolCall } from "../types/message.js";
import type { Model } from "../types/model.js";
import type { SimpleStreamOptions } from "../types/options.js";
import { messageText } from "../utils/message-facts.js";
import { nameValue } from "../utils/name-value.js";
import { isAddedNull, removeAddedNulls } from "./added-nulls.js";
import { findFailure } from "./find-failure.js";
import { findJson } from "./find-json.js";
import { type ObjectOf, type OutputMode, type OutputSchema, readOutputSchema } from "./output-schema.js";
import { hasFreeNames, unwrap, wrapSchema } from "./wrap-schema.js";

/** The requested output. */
export interface OutputRequest<TSchema extends object = object> {
  /**
   * The schema of the output: TypeBox, Zod, Valibot, ArkType (Standard Schema with JSON Schema), or JSON Schema. Lists,
   * unions and single values are allowed at the top level.
   */
  schema: TSchema;
  /** A name for the output, which the model sees: up to 64 letters, digits, `_` and `-`. Default `"output"`. */
  name?: string | undefined;
  /** Describes the output to the model. */
  description?: string | undefined;
  /**
   * How to request it. `"auto"`: the provider's native mode if the model has one that fits the request, else a tool that the
   * model must call, else instructions. Default `"auto"`.
   */
  mode?: OutputMode | "auto" | undefined;
}

/** The result of reading one response. */
export type OutputReading<TValue = unknown> =
  | { type: "object"; object: TValue }
  | { type: "invalid"; errors: string[]; text: string; value?: unknown }
  | { type: "failed"; kind: ErrorKind; message: string };

const DEFAULT_NAME = "output";
const MODES: readonly (OutputMode | "auto")[] = ["auto", "native", "tool", "text"];
/** The longest invalid arguments that are sent back, in characters. */
const MAX_SENT = 20_000;
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** The way in which one output is requested from one model. */
export class OutputPlan<TSchema extends object = object> {
  /** How the output is requested. */
  readonly mode: OutputMode;
  /** The name of the output, and of the tool in the mode `tool`. */
  readonly name: string;
  /** Whether the value arrives as a property of an object, because providers want an object. */
  readonly wrapped: boolean;
  /** Whether an absent property arrives as null. */
  readonly addsNulls: boolean;
  readonly #schema: OutputSchema;
  readonly #sent: object;
  readonly #description: string;

  /** @throws ConfigError if the schema or the name cannot be used */
  constructor(model: Model, context: Context, request: OutputRequest<TSchema>) {
    const { name = DEFAULT_NAME, description, mode = "auto", schema } = request;
    if (!NAME.test(name)) throw new ConfigError(`The name of an output must match ${NAME.source}, not "${name}"`);
    if (!MODES.includes(mode)) {
      throw new ConfigError(`The option mode must be one of ${MODES.join(", ")}, not ${nameValue(mode)}`);
    }
    this.#schema = readOutputSchema(schema);
    const { schema: sent, wrapped } = wrapSchema(this.#schema.json);
    this.#sent = sent;
    this.wrapped = wrapped;
    this.name = name;
    this.mode = mode === "auto" ? chooseMode(model, context, sent) : mode;
    this.addsNulls = this.mode === "native" && resolveOutputRules(model).subset.allRequired;
    this.#description = description ?? "Returns the output. Call it once, with the complete output.";
    if (this.mode === "tool" && context.tools?.some((tool) => tool.name === name)) {
      throw new ConfigError(`context.tools already has a tool "${name}"; set the option name of the output`);
    }
  }

  /** The tool through which the model returns the output, in the mode `tool`. */
  get tool(): Tool {
    return { name: this.name, description: this.#description, parameters: this.#sent, once: true };
  }

  /** Returns the context with the additions of the mode. */
  extendContext(context: Context): Context {
    if (this.mode === "tool") return { ...context, tools: [...(context.tools ?? []), this.tool] };
    if (this.mode === "native") return context;
    const instructions =
      "Respond with one JSON object that fits this JSON Schema, and with nothing else: no explanation, no code fence.\n" +
      JSON.stringify(this.#sent);
    return { ...context, systemPrompt: [context.systemPrompt, instructions].filter(Boolean).join("\n\n") };
  }

  /** Returns the options with the additions of the mode. */
  extendOptions(options: SimpleStreamOptions): SimpleStreamOptions {
    if (this.mode === "tool") return { ...options, toolChoice: "required" };
    if (this.mode === "text") return options;
    return { ...options, outputFormat: { schema: this.#sent, name: this.name } };
  }

  /** Whether a null at this path of the partial output stands for an absent property. */
  isAddedNull(path: readonly string[]): boolean {
    return this.addsNulls && isAddedNull(this.wrapped ? path.slice(1) : path, this.#schema.json);
  }

  /** Reads the output from a response, or the reason why there is none. */
  async read(message: AssistantMessage): Promise<OutputReading<ObjectOf<TSchema>>> {
    const failure = findFailure(message);
    if (failure) return { type: "failed", ...failure };
    const calls = message.content.filter((block) => block.type === "toolCall");
    const own = this.mode === "tool" ? calls.filter((call) => call.name === this.name) : [];
    const [call, ...others] = own;
    if (!call && calls.length > 0) return { type: "failed", kind: "tool_use", message: describeCalls(calls) };
    if (others.length > 0) return invalid(`root: ${own.length} calls of ${this.name}; there must be exactly one`, own);
    if (call) return this.readCall(call);
    if (this.mode === "tool") return invalid(`root: the tool ${this.name} was not called`, messageText(message));
    return this.#readText(messageText(message));
  }

  /** Reads the output from a call of the tool. */
  async readCall(call: ToolCall): Promise<OutputReading<ObjectOf<TSchema>>> {
    const text = call.argumentsText ?? JSON.stringify(call.arguments);
    if (call.argumentsError !== undefined) return invalid(`root: ${call.argumentsError}`, text);
    return this.#check(structuredClone(call.arguments), text);
  }

  async #readText(text: string): Promise<OutputReading<ObjectOf<TSchema>>> {
    const found = findJson(text);
    return "fault" in found ? invalid(found.fault, text) : this.#check(found.value, text);
  }

  async #check(received: unknown, text: string): Promise<OutputReading<ObjectOf<TSchema>>> {
    const value = this.wrapped ? unwrap(received) : received;
    if (value === undefined) return { ...invalid("value: must be present", text), value: received };
    if (this.addsNulls) removeAddedNulls(value, this.#schema.json);
    const checked = await this.#schema.check(value);
    if ("errors" in checked) return { type: "invalid", errors: checked.errors, text, value };
    // The value fits the schema, and the type is derived from the schema.
    return { type: "object", object: checked.value as ObjectOf<TSchema> };
  }

  /** Returns the messages that send an invalid output back, with the validator's errors. */
  repair(message: AssistantMessage, errors: readonly string[]): Message[] {
    const list = errors.map((line) => `  - ${line}`).join("\n");
    const problem = `The output is not valid:\n${list}\n\nRespond again, with the complete, corrected output.`;
    const calls = message.content.filter((block) => block.type === "toolCall");
    if (calls.length === 0) return [message, { role: "user", content: problem, timestamp: Date.now() }];
    return [message, ...calls.map((call) => this.#toResult(call, problem))];
  }

  #toResult({ id, name, argumentsError, argumentsText }: ToolCall, problem: string): Message {
    // A call whose arguments are not JSON is sent back without them.
    const sent =
      argumentsError === undefined || !argumentsText ? "" : `\n\nYou sent:\n${cutText(argumentsText, MAX_SENT)}`;
    const text = name === this.name ? `${problem}${sent}` : "The tool was not run.";
    return {
      role: "toolResult",
      toolCallId: id,
      toolName: name,
      content: [{ type: "text", text }],
      isError: true,
      timestamp: Date.now(),
    };
  }
}

function chooseMode(model: Model, context: Context, schema: object): OutputMode {
  const rules = resolveOutputRules(model);
  const hasTools = (context.tools?.length ?? 0) > 0;
  const expressible = !rules.subset.closed || !hasFreeNames(schema);
  if (rules.native && expressible && (!hasTools || rules.nativeWithTools)) return "native";
  return rules.tools ? "tool" : "text";
}

function describeCalls(calls: readonly ToolCall[]): string {
  const names = [...new Set(calls.map(({ name }) => name))].join(", ");
  return `The model called other tools (${names}) instead of returning the output`;
}

function invalid(error: string, text: string | readonly ToolCall[]): OutputReading<never> & { type: "invalid" } {
  return { type: "invalid", errors: [error], text: typeof text === "string" ? text : JSON.stringify(text) };
}
