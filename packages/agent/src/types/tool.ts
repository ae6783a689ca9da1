/** Tools that an agent can run. */
import type { Tool, ToolArguments, UserBlock } from "pi-ai";
import type { AgentToolCall } from "./message.js";

/** Whether the calls of one answer run one after the other or at the same time. */
export type ToolExecutionMode = "sequential" | "parallel";

/** What a tool gives back. */
// biome-ignore lint/suspicious/noExplicitAny: details belong to the host; most tools have none worth a type.
export interface AgentToolResult<TDetails = any> {
  /** Shown to the model. */
  content: UserBlock[];
  /** For the host only: never sent to a model. */
  details: TDetails;
  /** A hint to end the run after this batch; followed when every call of the batch gives it. */
  terminate?: boolean;
}

/** What a tool returns where its details have no type of their own: `details` may be left out. */
export interface AgentToolOutput extends Omit<AgentToolResult, "details"> {
  /** For the host only: never sent to a model. */
  details?: AgentToolResult["details"];
}

/** Reports progress. Ignored once the call has ended. */
// biome-ignore lint/suspicious/noExplicitAny: as for AgentToolResult.
export type AgentToolUpdateCallback<TDetails = any> = (partialResult: AgentToolResult<TDetails>) => void;

/** A tool with its code. `defineTool` makes one without a type to be written. */
// biome-ignore lint/suspicious/noExplicitAny: as for AgentToolResult.
export type AgentTool<TParameters extends object = object, TDetails = any> = AgentToolOf<
  ToolArguments<TParameters>,
  TParameters,
  unknown extends TDetails ? AgentToolOutput : AgentToolResult<TDetails>
>;

/**
 * A tool by the arguments that it takes. The arguments come first because the compiler compares in this order the tools of
 * a list, each with each: two tools mostly differ in their arguments, which is cheap to see, and to compare two schemas is
 * not.
 */
export interface AgentToolOf<in out TArguments, out TParameters extends object, out TOutput> extends Tool<TParameters> {
  /** A name for people. Default: the tool's `name`. */
  label?: string;
  /** Mends arguments before they are checked, for calls that follow an older schema. Gets a copy. */
  prepareArguments?: (args: unknown) => TArguments;
  /**
   * Runs the tool. Whatever it throws becomes an error result that the model sees.
   *
   * @param params a checked copy of the model's arguments
   * @param signal aborted when the run is aborted or the call took too long
   */
  execute: (
    toolCallId: string,
    params: TArguments,
    signal?: AbortSignal,
    onUpdate?: (partialResult: TOutput) => void,
  ) => Promise<TOutput>;
  /** `"sequential"` makes every batch with a call of this tool sequential. */
  executionMode?: ToolExecutionMode;
  /** Bound on one call in milliseconds, instead of the run's own `toolTimeoutMs`; 0 = none. */
  toolTimeoutMs?: number;
}

/** A tool of whatever parameters, as lists of tools hold it. */
// biome-ignore lint/suspicious/noExplicitAny: `execute` takes its own parameters, so no single type but any fits all tools.
export type AnyAgentTool = AgentTool<any>;

/** How a call ended. */
export interface AgentToolCallOutcome {
  /** The call. */
  toolCall: AgentToolCall;
  /** What the tool gave, or the text of what went wrong. */
  result: AgentToolResult;
  /** Whether the call failed. */
  isError: boolean;
  /** How long the tool ran, in milliseconds; absent if it never did. */
  durationMs?: number;
}
