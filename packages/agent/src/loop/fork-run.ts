/** Repeats requests and tool calls of a run beside it, as the inspector does. Few runs load this module. */
import type { AssistantMessage } from "pi-ai";
import { anySignal } from "pi-ai/call";
import type { AgentContext } from "../types/agent-context.js";
import type { AgentLoopConfig } from "../types/config.js";
import type { AgentEvent } from "../types/event.js";
import type { StreamFn } from "../types/hooks.js";
import type { AgentToolCall } from "../types/message.js";
import type { AgentMiddleware, ForkedRequest, RunFork } from "../types/middleware.js";
import type { AgentToolCallOutcome } from "../types/tool.js";
import { AbortGate } from "./abort-gate.js";
import { AgentRun } from "./agent-run.js";
import { respond } from "./assistant-turn.js";

/** What a fork takes from its run. Not the run itself, because forks may be made long after its end. */
export interface Forkable {
  config: AgentLoopConfig;
  streamFn: StreamFn;
  /** All middleware of the run, also what it inherits. */
  middleware: readonly AgentMiddleware[];
  /** Begins the middleware of the fork. Returns what one of them threw. */
  begin: (run: AgentRun) => Promise<{ readonly error: unknown } | undefined> | undefined;
}

/** See `MiddlewareRun.fork`. */
export function forkRun(
  { config, streamFn, middleware, begin: beginMiddleware }: Forkable,
  signal: AbortSignal,
): RunFork {
  // Those that pass on what a run does would take the fork for the run.
  const list = middleware.filter((one) => one.inForks !== false);
  // Of a configuration with these settings, nothing but a request and its tools is needed.
  const { steps: _steps, getSteeringMessages: _steering, getFollowUpMessages: _queue, ...settings } = config;
  const controller = new AbortController();
  const own = anySignal([signal, controller.signal]);
  const gate = new AbortGate(own);
  let onPartial: ForkedRequest["onPartial"] | undefined;
  const run = new AgentRun({
    context: { systemPrompt: "", messages: [] },
    config: { ...settings, middleware: list },
    emit: (event: AgentEvent) => {
      if (event.type === "message_update" && event.message.role === "assistant") onPartial?.(event.message);
    },
    gate,
    streamFn,
    abort: () => controller.abort(),
  });
  let begun: Promise<void> | undefined;
  const begin = async (): Promise<void> => {
    const failure = await beginMiddleware(run);
    if (failure) throw failure.error;
    await run.emit({ type: "agent_start" });
  };
  return {
    signal: own,
    respond: async ({ model, context, thinkingLevel, ...request }) => {
      // What may hold a key stays with its provider.
      if (model.provider !== settings.model.provider) {
        delete run.config.apiKey;
        delete run.streamOptions.headers;
      }
      run.update({ model, context, thinkingLevel });
      begun ??= begin();
      await begun;
      onPartial = request.onPartial;
      return respond(run);
    },
    runTool: async (toolCall, assistantMessage, context) => {
      begun ??= begin();
      await begun;
      return runOne(run, toolCall, { assistantMessage, context });
    },
    end: async () => {
      try {
        if (begun && !run.closed) await run.emit({ type: "agent_end", messages: run.newMessages });
      } finally {
        run.close();
        await run.middleware.end?.({ messages: run.newMessages, stop: run.stop, failure: undefined });
        gate.close();
      }
    },
  };
}

async function runOne(
  run: AgentRun,
  toolCall: AgentToolCall,
  { assistantMessage, context }: { assistantMessage: AssistantMessage; context: AgentContext },
): Promise<AgentToolCallOutcome> {
  const { gate, callSettings: settings } = run;
  const [{ runSingleToolCall }, { validateToolArguments: validate }] = await Promise.all([
    import("./tools/tool-schedule.js"),
    import("pi-ai/validation"),
  ]);
  const options = { tools: context.tools ?? [], assistantMessage, context };
  return runSingleToolCall(toolCall, options, { gate, validate, settings });
}
