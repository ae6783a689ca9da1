/** Routes each event to its handler. */
import type { AssistantMessage } from "pi-ai";
import { formatThrownValue } from "pi-ai/call";
import type { Pause, ToolExecutionEvent } from "../types.js";
import type { EmbedCompactionEnd, EmbedCompactionStart, EmbedEvent } from "./embed-event.js";
import type { TextEvent } from "./text-accumulator.js";

type ToolEvent<TType> = Extract<ToolExecutionEvent, { type: TType }>;

/** The handlers. Their errors and rejections are logged. */
export interface EmbedEventContext {
  /** A response begins. */
  onMessageStart(): void;
  /** A stream event of the response. */
  onMessageUpdate(event: TextEvent): void;
  /** A response is complete. */
  onMessageEnd(message: AssistantMessage): void;
  /** A tool is called. */
  onToolStart(event: ToolEvent<"tool_execution_start">): void | Promise<void>;
  /** A tool reports progress. */
  onToolUpdate(event: ToolEvent<"tool_execution_update">): void;
  /** A tool has ended. */
  onToolEnd(event: ToolEvent<"tool_execution_end">): void | Promise<void>;
  /** A run begins. */
  onAgentStart(): void;
  /** A run has ended. `pause` says what it needs answers to, if that ended it. */
  onAgentEnd(pause?: Pause): void;
  /** The host begins to compact the conversation. */
  onCompactionStart(event: EmbedCompactionStart): void;
  /** The compaction has ended, successfully or not. */
  onCompactionEnd(event: EmbedCompactionEnd): void;
  /** Logs a note for developers: an error of another handler. */
  debug(message: string): void;
}

/**
 * Creates a listener that never throws and never returns a promise, so that it cannot hold up the run. Passes on messages
 * of the assistant only and ignores unknown events.
 */
export function createEmbedEventHandler(context: EmbedEventContext): (event: EmbedEvent) => void {
  return (event) => {
    try {
      const pending = route(event, context);
      if (pending) pending.catch((error: unknown) => context.debug(describeFailure(event, error)));
    } catch (error) {
      context.debug(describeFailure(event, error));
    }
  };
}

function route(event: EmbedEvent, context: EmbedEventContext): void | Promise<void> {
  switch (event.type) {
    case "message_start":
      if (event.message.role === "assistant") context.onMessageStart();
      return;
    case "message_update":
      if (event.message.role === "assistant") context.onMessageUpdate(event.assistantMessageEvent);
      return;
    case "message_end":
      if (event.message.role === "assistant") context.onMessageEnd(event.message);
      return;
    case "tool_execution_start":
      return context.onToolStart(event);
    case "tool_execution_update":
      return context.onToolUpdate(event);
    case "tool_execution_end":
      return context.onToolEnd(event);
    case "agent_start":
      return context.onAgentStart();
    case "agent_end":
      return context.onAgentEnd(event.pause);
    case "auto_compaction_start":
    case "compaction_start":
      return context.onCompactionStart(event);
    case "auto_compaction_end":
    case "compaction_end":
      return context.onCompactionEnd(event);
    case "turn_start":
    case "turn_end":
    case "approval_requested":
    case "approval_resolved":
    case "output":
    case "budget_warning":
    case "loop_noticed":
    case "run_stopped":
    case "child_event":
      return;
    default:
      // A new type of event fails to compile here; one of a custom source is ignored.
      event satisfies never;
  }
}

function describeFailure(event: EmbedEvent, error: unknown): string {
  return `${event?.type} handler failed: ${formatThrownValue(error)}`;
}
