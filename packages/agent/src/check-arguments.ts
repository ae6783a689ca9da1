/** Checks the arguments of the functions of the loop. A mistake throws where it is written, in plain JavaScript too. */
import { assertModel, isRecord } from "pi-ai/call";
import { assertTools } from "./check-tools.js";
import { mustBeFunction, throwWrong } from "./checks.js";
import { SETTINGS } from "./settings.js";

/** The arguments, as plain JavaScript may pass them. */
export interface LoopArguments {
  readonly prompts?: unknown;
  readonly context: unknown;
  readonly config: unknown;
  readonly signal: unknown;
  readonly streamFn: unknown;
}

/** @throws TypeError that names the argument and shows its form; ConfigError for a model that is none, and for a tool's schema */
export function assertArguments({ prompts = [], context, config, signal, streamFn }: LoopArguments): void {
  if (!Array.isArray(prompts) || prompts.some((prompt) => !isRecord(prompt)))
    throwWrong(
      "The argument prompts",
      'a list of messages, such as [{ role: "user", content: "Hi" }]',
      wrongPrompt(prompts),
    );
  if (!isRecord(context))
    throwWrong("The argument context", "an object such as { systemPrompt, messages: [], tools }", context);
  if (!Array.isArray(context["messages"]))
    throwWrong("context.messages", "a list of messages, such as []", context["messages"]);
  assertTools(context["tools"] as never); // which checks that they are a list of tools
  if (!isRecord(config)) throwWrong("The argument config", "an object such as { model, convertToLlm }", config);
  assertModel(config["model"]);
  if (typeof config["convertToLlm"] !== "function")
    throwWrong("config.convertToLlm", "a function, such as (messages) => messages", config["convertToLlm"]);
  if (config["reasoning"] !== undefined) SETTINGS.reasoning.check("config.reasoning", config["reasoning"]);
  if (signal !== undefined && signal !== null && typeof Object(signal).addEventListener !== "function")
    throwWrong("The argument signal", "an AbortSignal, such as the signal of an AbortController", signal);
  mustBeFunction("The argument streamFn", streamFn);
}

/** The first element that is not a message, or the whole value if it is not a list. */
function wrongPrompt(prompts: unknown): unknown {
  return Array.isArray(prompts) ? prompts.find((prompt) => !isRecord(prompt)) : prompts;
}
