/**
 * Event sequences as short texts: `AS` agent_start, `TS` turn_start, `MS(x)` / `ME(x)` message_start / message_end with
 * `u` user, `a` assistant (`a:stop` at its end) and `r1` the result of tool call 1, `MU(k)` message_update, `XS` / `XU`
 * / `XE` tool_execution_start / update / end, `TE` turn_end, `AE` agent_end. `!` marks errors, `T` the hint to
 * terminate.
 * `OUT` is an output with its value, `?` an approval_requested, `yes` or `no` its approval_resolved.
 */
import type { AgentEvent, AgentMessage } from "pi-agent";

export function describeEvent(event: AgentEvent): string {
  switch (event.type) {
    case "agent_start":
      return "AS";
    case "turn_start":
      return "TS";
    case "agent_end":
      return `AE[${event.messages
        .map((message) => message.role[0])
        .join("")
        .replaceAll("t", "r")}]`;
    case "turn_end": {
      const reason = event.message.role === "assistant" ? event.message.stopReason : event.message.role;
      return `TE(${reason};[${event.toolResults.map((result) => result.toolCallId).join(",")}])`;
    }
    case "message_start":
      return `MS(${describeMessage(event.message, false)})`;
    case "message_end":
      return `ME(${describeMessage(event.message, true)})`;
    case "message_update":
      return `MU(${event.assistantMessageEvent.type})`;
    case "tool_execution_start":
      return `XS(${event.toolCallId})`;
    case "tool_execution_update":
      return `XU(${event.toolCallId})`;
    case "tool_execution_end":
      return `XE(${event.toolCallId}${event.isError ? "!" : ""}${event.result.terminate ? "T" : ""})`;
    case "approval_requested":
      return `?(${event.request.toolCallId})`;
    case "output":
      return `OUT(${JSON.stringify(event.output)})`;
    case "budget_warning":
      return `WARN(${event.limit})`;
    case "loop_noticed":
      return `LOOP(${event.loop})`;
    case "run_stopped":
      return `STOP(${event.stop.by === "budget" ? event.stop.limit : event.stop.loop})`;
    case "child_event":
      return `C${event.parentToolCallId}(${describeEvent(event.event)})`;
    case "approval_resolved":
      return `${event.approved ? "yes" : "no"}(${event.request.toolCallId})`;
  }
}

/** Without `message_update`, which seldom matters. */
export function describeEvents(events: readonly AgentEvent[]): string {
  return events
    .filter((event) => event.type !== "message_update")
    .map(describeEvent)
    .join(" ");
}

function describeMessage(message: AgentMessage, ended: boolean): string {
  if (message.role === "user") return "u";
  if (message.role === "toolResult") return `r${message.toolCallId}${message.isError ? "!" : ""}`;
  if (message.role !== "assistant") return (message as { role: string }).role;
  return ended ? `a:${message.stopReason}` : "a";
}
