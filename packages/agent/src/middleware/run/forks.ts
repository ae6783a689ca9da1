/** Repeats requests and tool calls of a run beside it, as the inspector does. */
import { anySignal } from "pi-ai/call";
import { AbortGate } from "../../abort-gate.js";
import { AgentRun, streamAssistantResponse } from "../../loop/index.js";
import { runSingleToolCall } from "../../run-tool-call.js";
import type { AgentLoopConfig } from "../../types/config.js";
import type { AgentEvent } from "../../types/event.js";
import type { StreamFn } from "../../types/hooks.js";
import type { AgentMiddleware, ForkedRequest, MiddlewareRun, RunFork } from "../../types/middleware.js";

/** The parts of a run that its forks use. Not the run itself, because forks may be made long after its end. */
export interface Forkable {
  config: AgentLoopConfig;
  streamFn: StreamFn;
  /** All middleware of the run, also what it inherits. */
  middleware: readonly AgentMiddleware[];
  /** Begins the middleware of the fork. */
  begin: (run: AgentRun) => Promise<void>;
}

/** See `MiddlewareRun.fork`. It holds no run: the inspector keeps it for as long as it shows one. */
export function createFork(forkable: Forkable): MiddlewareRun["fork"] {
  return async (signal) => forkRun(forkable, signal);
}

function forkRun({ config, streamFn, middleware, begin: beginMiddleware }: Forkable, signal: AbortSignal): RunFork {
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
    await beginMiddleware(run);
    await run.emit({ type: "agent_start" });
  };
  return {
    signal: own,
    respond: async ({ model, context, thinkingLevel, ...request }) => {
      // Settings that may hold a key stay with their provider.
      if (model.provider !== settings.model.provider) run.settings.forgetKeys();
      run.update({ model, context, thinkingLevel });
      begun ??= begin();
      await begun;
      onPartial = request.onPartial;
      return streamAssistantResponse(run);
    },
    runTool: async (toolCall, assistantMessage, context) => {
      begun ??= begin();
      await begun;
      const options = { tools: context.tools ?? [], assistantMessage, context };
      return runSingleToolCall(toolCall, options, { gate, callSettings: run.settings.callSettings });
    },
    end: async () => {
      const { events, transcript, ending } = run;
      const { newMessages: messages } = transcript;
      try {
        if (begun && !events.closed) await run.emit({ type: "agent_end", messages });
      } finally {
        events.close();
        await run.middleware.end?.({ messages, stop: ending.stop, failure: undefined });
        gate.close();
      }
    },
  };
}
