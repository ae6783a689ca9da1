/** The steps of a live run, from which its entries are written. Everything else in this folder knows only these types. */
import type { Instructions } from "../record/conversation.js";
import { type Fields, fieldsOf, listOf, numberOf, textOf } from "../record/fields.js";
import type { Launcher } from "../record/launcher.js";
import type { Wire } from "../record/wire.js";

/** A run begins. */
export interface BeginStep {
  readonly type: "run_begin";
  readonly id: string;
  /** The title of the run. Empty: the beginning of the prompt. */
  readonly name: string;
  readonly model: string;
  readonly instructions: Instructions;
  /** The whole conversation, if the application has changed it since the last run. */
  readonly replaced: readonly unknown[] | undefined;
  /** Sends the requests of forks. */
  readonly launcher: Launcher | undefined;
}

/** A request begins, changes or ends. */
export interface RequestStep {
  readonly type: "request_start" | "request_update" | "request_end";
  readonly wire: Wire;
  readonly model: string;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  /** The message of the response; empty before the end. */
  readonly message: Fields;
}

/** A message begins, grows or ends. */
export interface MessageStep {
  readonly type: "message_start" | "message_update" | "message_end";
  readonly message: Fields;
}

export interface ToolStartStep {
  readonly type: "tool_execution_start";
  readonly id: string;
  readonly tool: string;
  readonly args: unknown;
}

export interface ToolEndStep {
  readonly type: "tool_execution_end";
  readonly id: string;
  readonly result: Fields;
  readonly isError: boolean;
  readonly durationMs: number | undefined;
}

export type Step =
  | BeginStep
  | RequestStep
  | MessageStep
  | ToolStartStep
  | ToolEndStep
  /** `messages` are the new ones of the run. */
  | { readonly type: "agent_end"; readonly messages: readonly unknown[] }
  /** The recording has ended before the run. */
  | { readonly type: "stop" };

/** Reads an event of `pi-agent`. Undefined for one that is not shown. */
export function toStep(event: { readonly type: string }): Step | undefined {
  const fields = fieldsOf(event);
  switch (event.type) {
    // First, because every delta comes here.
    case "message_update":
    case "message_start":
    case "message_end":
      return { type: event.type, message: fieldsOf(fields["message"]) };
    case "tool_execution_start":
      return {
        type: event.type,
        id: textOf(fields["toolCallId"]),
        tool: textOf(fields["toolName"]),
        args: fields["args"],
      };
    case "tool_execution_end":
      return {
        type: event.type,
        id: textOf(fields["toolCallId"]),
        result: fieldsOf(fields["result"]),
        isError: fields["isError"] === true,
        durationMs: numberOf(fields["durationMs"]),
      };
    case "agent_end":
      return { type: event.type, messages: listOf(fields["messages"]) };
    default:
      return undefined;
  }
}
