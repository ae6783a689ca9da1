/** Says in the conversation what requests beside it used. */
import type { AssistantMessage } from "pi-ai";
import { startTimer } from "pi-ai/call";
import type { AgentRun } from "./agent-run.js";

/** See `withSideUsage`. */
export async function addSideUsage(run: AgentRun, create: () => AssistantMessage): Promise<AssistantMessage> {
  await settleSide(run);
  return noteSideUsage(run, create());
}

/** How long an agent needs at most to end after its abort, in milliseconds. */
const ABORT_MS = 20;

/**
 * Waits for requests beside the conversation that end while a response is complete: those of a hook that was aborted, and
 * those of an agent whose call has timed out.
 */
async function settleSide({ pendingSide, gate }: AgentRun): Promise<void> {
  if (pendingSide.size === 0) return;
  const time = Promise.withResolvers<void>();
  const cancel = startTimer(time.resolve, ABORT_MS);
  const settled = Promise.allSettled(pendingSide).then(() => {});
  await gate.waitForObserver(Promise.race([settled, time.promise]));
  cancel();
}

/** Adds what requests beside the conversation used to the response that follows them. */
function noteSideUsage(run: AgentRun, message: AssistantMessage): AssistantMessage {
  const usages = run.sideResponses.splice(0).map(({ usage }) => usage);
  if (!usages.some(({ totalTokens, cost }) => totalTokens > 0 || cost.total > 0)) return message;
  const note = { type: "side_requests", timestamp: run.now(), details: { usages } };
  return { ...message, diagnostics: [...(message.diagnostics ?? []), note] };
}
