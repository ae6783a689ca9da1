/**
 * Gives every response of a run its updates. Without them a connector would lose the response, and the results of its
 * tools would refer to nothing.
 */
import type { AssistantMessage } from "pi-ai";
import { ResponseCompletion } from "pi-ai/call";
import type { AgentEvent } from "../types/event.js";

/**
 * Returns a listener that passes on the events of a run, and adds the updates that a response lacks, as
 * `ResponseCompletion` says: of a response that `wrapModelCall` has cached or changed, of a stream function that pushes
 * `start` and `done`, and of one that a durable run repeats.
 */
export function completeResponses(listener: (event: AgentEvent) => void): (event: AgentEvent) => void {
  let message: AssistantMessage | undefined;
  const response = new ResponseCompletion((assistantMessageEvent) => {
    if (message) listener({ type: "message_update", message, assistantMessageEvent });
  });
  return (event) => {
    if ("message" in event && event.message.role === "assistant") {
      message = event.message;
      if (event.type === "message_start") response.begin();
      else if (event.type === "message_end") response.complete(message);
    }
    if (event.type !== "message_update" || response.accept(event.assistantMessageEvent)) listener(event);
  };
}
