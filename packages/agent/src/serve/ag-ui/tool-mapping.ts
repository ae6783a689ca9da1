/** Maps the events of tool calls, and of tools that the provider runs, to those of AG-UI. */
import type { AssistantMessageEvent, ServerToolContent } from "pi-ai";
import type { AgUiEvent } from "./ag-ui-event.js";

type ToolEvent = Extract<AssistantMessageEvent, { type: `toolcall_${string}` | `servertool_${string}` }>;

/** A call that has begun and not ended for the client. */
interface OpenCall {
  readonly toolCallId: string;
  /** Whether the client has received arguments. */
  hasArguments: boolean;
}

export class ToolMapping {
  /** The open calls of the response, by the index of their block. */
  readonly #open = new Map<number, OpenCall>();

  /** @param messageId the id of the response */
  map(event: ToolEvent, messageId: string): readonly AgUiEvent[] {
    const { contentIndex: index } = event;
    switch (event.type) {
      case "toolcall_start":
      case "servertool_start": {
        const block = event.partial.content[index];
        // Some providers send the name later. The client then learns of the call when it is complete.
        if (!(block && "id" in block && block.id && block.name)) return [];
        return [this.#start(index, block, messageId)];
      }
      case "toolcall_delta":
      case "servertool_update": {
        const call = this.#open.get(index);
        if (!(call && event.delta)) return [];
        call.hasArguments = true;
        return [toArguments(call, event.delta)];
      }
      case "toolcall_end":
        return this.#end(index, event.toolCall, event.toolCall.arguments, messageId);
      case "servertool_end": {
        const { serverTool } = event;
        const end = this.#end(index, serverTool, serverTool.input ?? {}, messageId);
        return [...end, ...resultOf(serverTool, messageId)];
      }
    }
  }

  /** Ends the open calls, because no event of theirs can follow. */
  closeAll(): readonly AgUiEvent[] {
    const events = [...this.#open.values()].map(toEnd);
    this.#open.clear();
    return events;
  }

  #start(index: number, { id, name }: { id: string; name: string }, messageId: string): AgUiEvent {
    this.#open.set(index, { toolCallId: id, hasArguments: false });
    return { type: "TOOL_CALL_START", toolCallId: id, toolCallName: name, parentMessageId: messageId };
  }

  /** Sends what the client lacks before the end: the start of a call without an early name, arguments that arrived whole. */
  #end(index: number, block: { id: string; name: string }, input: unknown, messageId: string): AgUiEvent[] {
    const events = this.#open.has(index) ? [] : [this.#start(index, block, messageId)];
    const call = this.#open.get(index) ?? { toolCallId: block.id, hasArguments: false };
    if (!call.hasArguments) events.push(toArguments(call, JSON.stringify(input)));
    this.#open.delete(index);
    return [...events, toEnd(call)];
  }
}

function toArguments({ toolCallId }: OpenCall, delta: string): AgUiEvent {
  return { type: "TOOL_CALL_ARGS", toolCallId, delta };
}

function toEnd({ toolCallId }: OpenCall): AgUiEvent {
  return { type: "TOOL_CALL_END", toolCallId };
}

/** The result of a tool that the provider has run. */
function resultOf({ id, status, output, errorText }: ServerToolContent, messageId: string): AgUiEvent[] {
  if (status !== "done" && status !== "failed") return [];
  const content = status === "failed" ? (errorText ?? "The tool failed") : (JSON.stringify(output) ?? "");
  return [{ type: "TOOL_CALL_RESULT", messageId: `${messageId}:${id}`, toolCallId: id, role: "tool", content }];
}
