/** The typed output of a run, as middleware. Only runs with an output load this module, which needs the validator. */

import type { AssistantMessage, Context, ToolResultMessage } from "pi-ai";
import { addUsage, OutputError, OutputPlan, type OutputReading } from "pi-ai/output";
import { findToolCalls } from "../../pause/index.js";
import type { AgentOutput } from "../../types/config.js";
import type { ModelRequest } from "../../types/hooks.js";
import type { AgentMessage, AgentToolCall } from "../../types/message.js";
import type { AgentMiddleware, MiddlewareRun } from "../../types/middleware.js";
import type { AnyAgentTool } from "../../types/tool.js";

/**
 * Makes each run end with an object that fits a schema, emitted as the event `output`. It belongs at the end of the list,
 * so that it extends the request that is sent. `initialState.output` of an agent and `output` of the loop put it there.
 */
export function output(request: AgentOutput): AgentMiddleware {
  return {
    name: "output",
    isRepeatable: true,
    begin: (run) => {
      const own = new RunOutput(run, request);
      return {
        prepareRequest: (asked) => own.extend(asked),
        wrapModelCall: (asked, send) => send(own.adapt(asked)),
        tools: (message) => own.tools(message),
        afterTurn: async ({ message, toolResults }) => {
          const step = await own.read(message, toolResults);
          if (step.type === "none") return undefined;
          if (step.type === "repair") return { messages: [step.message], demand: true };
          await run.emit({ type: "output", output: step.object });
          // The output ends the run, even if the response called other tools, too.
          return { done: true };
        },
      };
    },
  };
}

/** The part of a run that its output needs. */
type OutputRun = Pick<MiddlewareRun, "context" | "model" | "now">;

/** The consequence of a turn for the run. */
type OutputStep =
  /** The run goes on: tools must run first, or the output was sent back. */
  | { type: "none" }
  | { type: "object"; object: unknown }
  /** The message that sends the output back. */
  | { type: "repair"; message: AgentMessage };

const DEFAULT_MAX_REPAIRS = 1;
const NONE: OutputStep = { type: "none" };
/** Accepts any arguments, because the usual validation would coerce them. They are checked when the tool runs. */
const UNCHECKED = { type: "object" };

class RunOutput {
  readonly #run: OutputRun;
  readonly #request: AgentOutput;
  readonly #responses: AssistantMessage[] = [];
  #plan: { made: OutputPlan; context: OutputRun["context"]; model: unknown } | undefined;
  /** The request before it asked for the output, and the plan of another model that it was sent to. */
  #extended: { base: Context; options: ModelRequest["options"]; sentTo?: OutputPlan } | undefined;
  #repairs = 0;

  constructor(run: OutputRun, request: AgentOutput) {
    this.#run = run;
    this.#request = request;
  }

  /** Makes a request ask for the output: adds the output format, or a tool and instructions. Changes the context in place. */
  extend({ model, context, options }: ModelRequest): ModelRequest {
    const base = withoutMessages(context);
    this.#extended = { base, options };
    const plan = this.#currentPlan();
    const { systemPrompt, tools } = plan.extendContext(base);
    if (systemPrompt !== undefined) context.systemPrompt = systemPrompt;
    if (tools) context.tools = tools;
    return { model, context, options: plan.extendOptions(options) };
  }

  /** Makes a request that a hook sends to another model ask for the output as that model needs it. */
  adapt(request: ModelRequest): ModelRequest {
    const { model, context, options } = request;
    const known = this.#extended;
    const plan = this.#currentPlan();
    if (!known || model === this.#run.model || !isExtended(request, plan)) return request;
    const { base } = known;
    const sentTo = new OutputPlan(model, base, this.#request);
    known.sentTo = sentTo;
    if (sentTo.mode === plan.mode) return request;
    const { systemPrompt, tools } = sentTo.extendContext(base);
    const { outputFormat: _, toolChoice, ...rest } = options;
    const own = plan.mode === "tool" ? known.options.toolChoice : toolChoice;
    return {
      ...request,
      context: { ...context, ...(systemPrompt === undefined ? {} : { systemPrompt }), ...(tools && { tools }) },
      options: sentTo.extendOptions({ ...rest, ...(own && { toolChoice: own }) }),
    };
  }

  /** Returns the tool through which the model returns the output. */
  tools(message: AssistantMessage): readonly AnyAgentTool[] {
    const plan = this.#planOf(message);
    if (plan.mode !== "tool") return [];
    const calls = ownCalls(plan, message);
    const tool: AnyAgentTool = {
      ...plan.tool,
      parameters: UNCHECKED,
      replay: "safe",
      execute: async (toolCallId) => {
        const call = calls.find(({ id }) => id === toolCallId);
        const problem = call && describeProblem(await readCalls(plan, calls));
        if (problem !== undefined) throw new Error(problem);
        return { content: [{ type: "text", text: "The output was accepted." }], details: {}, terminate: true };
      },
    };
    return [tool];
  }

  /**
   * Decides whether a finished turn ends the run, lets it continue or sends the output back.
   *
   * @throws OutputError if there is no output, and the repairs are used up or cannot help
   */
  async read(message: AssistantMessage, results: readonly ToolResultMessage[]): Promise<OutputStep> {
    const plan = this.#planOf(message);
    const own = ownCalls(plan, message);
    if (own.length === 0 && !isLast(message)) return NONE;
    // The calls of a truncated response got error results, which ask the model to repeat them.
    if (own.length > 0 && message.stopReason === "length") return NONE;
    this.#responses.push(message);
    const reading = own.length > 0 ? await readCalls(plan, own) : await plan.read(message);
    // A hook can refuse the call although the output is valid.
    if (reading.type === "object") return own.some(({ id }) => isRefused(id, results)) ? NONE : reading;
    if (reading.type === "failed" || this.#repairs === this.#maxRepairs) throw this.#toError(reading, plan);
    this.#repairs++;
    // The results of its calls already tell the model what is wrong.
    if (own.length > 0) return NONE;
    const [, repair] = plan.repair(message, reading.errors);
    return repair ? { type: "repair", message: { ...repair, timestamp: this.#run.now() } } : NONE;
  }

  get #maxRepairs(): number {
    return this.#request.maxRepairs ?? DEFAULT_MAX_REPAIRS;
  }

  /** A response of another model than the run's can have another mode. A repeated run knows it only from the response. */
  #planOf(message: AssistantMessage): OutputPlan {
    const plan = this.#extended?.sentTo ?? this.#currentPlan();
    if (plan.mode === "tool" || !hasCall(message, plan.name)) return plan;
    const { tools = [] } = this.#run.context;
    if (tools.some(({ name }) => name === plan.name)) return plan;
    return new OutputPlan(this.#run.model, withoutMessages(this.#run.context), { ...this.#request, mode: "tool" });
  }

  /** The model and the tools may change between turns. */
  #currentPlan(): OutputPlan {
    const { context, model } = this.#run;
    const known = this.#plan;
    if (known && known.model === model && known.context.tools === context.tools) return known.made;
    const made = new OutputPlan(model, withoutMessages(context), this.#request);
    this.#plan = { made, context, model };
    return made;
  }

  #toError(reading: Exclude<OutputReading, { type: "object" }>, { mode }: OutputPlan): OutputError {
    const facts = { responses: this.#responses, usage: addUsage(this.#responses), mode };
    if (reading.type === "failed") return new OutputError({ ...facts, kind: reading.kind, message: reading.message });
    const { text, value, errors } = reading;
    const message = `The run ended without a valid output:\n${toList(errors)}`;
    return new OutputError({ ...facts, kind: "invalid_output", message, text, value, errors });
  }
}

/** Whether a request has what the plan has added, and thus is not one beside the conversation. */
function isExtended({ context, options }: ModelRequest, plan: OutputPlan): boolean {
  if (plan.mode === "tool") return context.tools?.some(({ name }) => name === plan.name) ?? false;
  if (plan.mode === "native") return options.outputFormat !== undefined;
  const { systemPrompt = "" } = plan.extendContext({ messages: [] });
  return context.systemPrompt?.includes(systemPrompt) ?? false;
}

function hasCall({ content }: AssistantMessage, name: string): boolean {
  return content.some((block) => block.type === "toolCall" && block.name === name);
}

/** Whether the model is done: no tool has run, and the provider waits for nothing. */
function isLast(message: AssistantMessage): boolean {
  const { stopReason } = message;
  return (stopReason === "stop" || stopReason === "length") && findToolCalls(message).length === 0;
}

function isRefused(id: string, results: readonly ToolResultMessage[]): boolean {
  return results.some(({ toolCallId, isError }) => toolCallId === id && isError);
}

function ownCalls(plan: OutputPlan, { content }: AssistantMessage): AgentToolCall[] {
  if (plan.mode !== "tool") return [];
  return content.filter((block): block is AgentToolCall => block.type === "toolCall" && block.name === plan.name);
}

async function readCalls(plan: OutputPlan, [call, ...others]: AgentToolCall[]): Promise<OutputReading> {
  if (!call || others.length > 0) {
    const error = `root: ${others.length + 1} calls of ${plan.name}; there must be exactly one`;
    return { type: "invalid", errors: [error], text: JSON.stringify([call, ...others]) };
  }
  return plan.readCall(call);
}

function describeProblem(reading: OutputReading): string | undefined {
  if (reading.type === "object") return undefined;
  if (reading.type === "failed") return reading.message;
  return `The output is not valid:\n${toList(reading.errors)}\n\nCall the tool again, once, with the complete, corrected output.`;
}

function toList(lines: readonly string[]): string {
  return lines.map((line) => `  - ${line}`).join("\n");
}

/** The mode of an output depends only on the tools, so no other part of the context is needed. */
function withoutMessages({ systemPrompt, tools }: Pick<Context, "systemPrompt" | "tools">): Context {
  return { messages: [], ...(systemPrompt === undefined ? {} : { systemPrompt }), ...(tools ? { tools } : {}) };
}
