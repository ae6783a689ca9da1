/**
 * Traces and metrics of the runs of an agent, by OpenTelemetry's semantic conventions for GenAI, or the same facts on
 * `node:diagnostics_channel` with `createChannelApi` of `pi-ai/otel`. Takes the application's `@opentelemetry/api`.
 *
 * @module pi-agent/otel
 */
import type { AssistantMessage } from "pi-ai";
import { collectSecrets, describeThrown, processState } from "pi-ai/call";
import { addUsage } from "pi-ai/count";
import {
  type Chat,
  createTelemetry,
  describeError,
  describeModel,
  describeUsage,
  failureOf,
  type Operation,
  type OperationFailure,
  shortName,
  startChat,
  type Telemetry,
  type TelemetryOptions,
} from "pi-ai/otel";
import type { AgentEvent } from "../types/event.js";
import type { ModelRequest } from "../types/hooks.js";
import type { AgentMessage } from "../types/message.js";
import type { AgentMiddleware, MiddlewareRun, RunHooks, RunOutcome } from "../types/middleware.js";
import type { AgentToolResult } from "../types/tool.js";
import type { WrapToolCallContext } from "../types/tool-call-hooks.js";

export { createChannelApi } from "pi-ai/otel";

/** The options of {@link trace}. */
export interface TraceOptions extends TelemetryOptions {
  /** The agent's name, for `gen_ai.agent.name`. Default: none. */
  name?: string | undefined;
}

/**
 * Records a span `invoke_agent` for each run, with a span `chat` for each request that is sent, also for one beside the
 * conversation, and `execute_tool` for each tool call that runs, and their metrics. A tool runs in the context of its span, so
 * that spans of its own become children. All spans of a run end with it, even if a tool, a stream or a hook hangs. The runs of
 * an agent that `agentTool` runs are children of the call's span, with the same conversation id.
 *
 * Its place in the list is of no importance for requests: it sees those that are sent, not those that a limit refuses or a
 * cache answers. What a durable run repeats from an earlier process, which has reported it, is not reported again.
 *
 * @example
 * import * as api from "@opentelemetry/api";
 * const agent = new Agent({ initialState: { model }, middleware: [trace({ api, name: "travel" })] });
 */
export function trace(options: TraceOptions): AgentMiddleware {
  const telemetry = createTelemetry(options);
  const self: AgentMiddleware = {
    name: "trace",
    inherit: true,
    begin: (run) => new RunTrace({ run, options, telemetry, by: self }).hooks,
  };
  return self;
}

interface RunTraceOptions {
  run: MiddlewareRun;
  options: TraceOptions;
  telemetry: Telemetry;
  /** The middleware. */
  by: object;
}

/** The traces of each run that has not ended, by its `root`. Two copies of this module share them. */
const traces = /* @__PURE__ */ processState("run traces", () => new WeakMap<object, RunTrace[]>());

class RunTrace {
  readonly #run: MiddlewareRun;
  readonly #options: TraceOptions;
  readonly #telemetry: Telemetry;
  readonly #by: object;
  readonly #name: string | undefined;
  /** The trace of the run whose tool runs this agent. */
  readonly #above: RunTrace | undefined;
  /** Nothing is recorded: the run has ended, or the trace is that of the parent and the agent has one of its own. */
  #isSilent = false;
  #span: Operation | undefined;
  /** The request of the conversation that is under way. */
  #chat: Chat | undefined;
  /** The key and the credentials in headers of the last request. */
  #secrets: readonly string[] = [];
  /** The usage of the requests so far. */
  readonly #used: Pick<AssistantMessage, "usage">[] = [];
  /** The spans of tool calls that are under way, by the ids of the calls. */
  readonly #calls = new Map<string, Operation>();
  /** The open spans. They end with the run, so that a stuck hook or tool cannot keep one open. */
  readonly #open = new Set<(error: unknown) => void>();

  constructor({ run, options, telemetry, by }: RunTraceOptions) {
    this.#run = run;
    this.#options = options;
    this.#telemetry = telemetry;
    this.#by = by;
    const above = run.parent ? (traces.get(run.parent) ?? []) : [];
    const same = above.find((one) => one.#by === by);
    this.#above = same ?? above.find((one) => one.#options.api === options.api);
    this.#name = same ? run.parentCall?.name : options.name;
    const beside = traces.get(run.root) ?? [];
    traces.set(run.root, [...beside, this]);
    // The agent's own trace takes the place of those that it has from its parent.
    const inherited = beside.filter((one) => one.#isInherited && one.#options.api === options.api);
    if (!same) for (const one of inherited) one.#isSilent = true;
  }

  get hooks(): RunHooks {
    return {
      wrapSend: (request, send) =>
        this.#isSilent ? send(request) : this.#send(request, send, request.origin !== undefined),
      wrapToolCall: (call, execute) => (this.#isSilent ? execute() : this.#execute(call, execute)),
      onEvent: (event) => this.#see(event),
      end: (outcome) => this.#end(outcome),
    };
  }

  get #isInherited(): boolean {
    return this.#above ? this.#above.#by === this.#by : false;
  }

  get #conversationId(): string | undefined {
    const above = this.#above;
    return this.#run.sessionId ?? (above ? above.#conversationId : undefined);
  }

  /** The context of the call that runs this agent. */
  get #contextAbove(): Operation["context"] | undefined {
    const above = this.#above;
    return above ? above.#calls.get(this.#run.parentCall?.id ?? "")?.context : undefined;
  }

  #see(event: AgentEvent): void {
    // A process that only repeats a run has nothing to report.
    if (event.replayed || this.#isSilent) return;
    if (event.type === "agent_start") this.#begin();
    else if (event.type === "message_start" && event.message.role === "assistant") this.#chat?.begin(event.message);
    else if (event.type === "tool_execution_end" && event.durationMs === undefined)
      this.#begin().span.addEvent("pi.tool_call.refused", { "gen_ai.tool.name": shortName(event.toolName) });
    else if (event.type === "agent_end") this.#endRun(event.messages);
  }

  /** Begins the span of the run with the first thing that is new. */
  #begin(): Operation {
    const name = this.#name;
    this.#span ??= this.#telemetry.start({
      operation: "invoke_agent",
      subject: name ?? "",
      metric: "gen_ai.invoke_agent.duration",
      attributes: { ...describeModel(this.#run.model), ...(name !== undefined && { "gen_ai.agent.name": name }) },
      details: { "gen_ai.conversation.id": this.#conversationId },
      parent: this.#contextAbove,
      signal: this.#run.signal,
    });
    return this.#span;
  }

  #send(
    request: ModelRequest,
    send: (request: ModelRequest) => Promise<AssistantMessage>,
    isSide: boolean,
  ): Promise<AssistantMessage> {
    const { options, model } = request;
    this.#secrets = collectSecrets([options.apiKey], options.headers, model.headers);
    const conversationId = options.sessionId ?? this.#conversationId;
    const chat = startChat(this.#telemetry, { ...request, conversationId }, this.#begin().context);
    if (!isSide) this.#chat = chat;
    const note = (received: AssistantMessage | undefined): void => {
      if (received) this.#used.push(received);
      if (this.#chat === chat) this.#chat = undefined;
    };
    return this.#watch(
      () => chat.run(() => send({ ...request, options: chat.options })),
      (message) => {
        note(message);
        chat.end(message);
      },
      (error) => {
        note(this.#run.partialOf(error));
        chat.fail(error);
      },
    );
  }

  #execute(call: WrapToolCallContext, execute: () => Promise<AgentToolResult>): Promise<AgentToolResult> {
    const { toolCall, tool } = call;
    const operation = this.#telemetry.start({
      operation: "execute_tool",
      subject: toolCall.name,
      metric: "gen_ai.execute_tool.duration",
      attributes: { "gen_ai.tool.name": toolCall.name, "gen_ai.tool.type": "function" },
      details: { "gen_ai.tool.call.id": toolCall.id, "gen_ai.tool.description": tool.description },
      parent: this.#begin().context,
    });
    operation.setContent("gen_ai.tool.call.arguments", () => call.args);
    this.#calls.set(toolCall.id, operation);
    return this.#watch(
      () => operation.run(execute),
      (result) => {
        operation.setContent("gen_ai.tool.call.result", () => result.content);
        operation.end();
      },
      (error) => {
        const { type } = describeError(error, this.#secrets);
        // The message of a tool's error may contain content, which a span must not show, and secrets, as in the transcript.
        const message = this.#options.content ? describeThrown(error, this.#secrets) : undefined;
        operation.end({ type, message });
      },
    );
  }

  async #watch<TResult>(
    work: () => Promise<TResult>,
    end: (result: TResult) => void,
    fail: (error: unknown) => void,
  ): Promise<TResult> {
    this.#open.add(fail);
    try {
      const result = await work();
      if (this.#open.has(fail)) end(result);
      return result;
    } catch (error) {
      if (this.#open.has(fail)) fail(error);
      throw error;
    } finally {
      this.#open.delete(fail);
    }
  }

  #endRun(messages: readonly AgentMessage[], failure?: OperationFailure): void {
    if (this.#isSilent) return;
    this.#isSilent = true;
    const last = messages.findLast((message): message is AssistantMessage => message.role === "assistant");
    // A request that is still open was aborted. The message has what it had received.
    if (last && this.#chat) this.#used.push(last);
    for (const fail of this.#open) fail(undefined);
    this.#open.clear();
    const reason = failure ?? (last && failureOf(last));
    this.#span?.set(describeUsage(addUsage(this.#used), reason !== undefined));
    this.#span?.end(reason);
  }

  #end({ messages, failure }: RunOutcome): void {
    // Ends only what is still open: the run has failed without an `agent_end`.
    this.#endRun(messages, describeError(failure, this.#secrets));
  }
}
