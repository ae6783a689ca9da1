/** Says in the conversation what requests beside it used. */
import type { AssistantMessage } from "pi-ai";
import { startTimer } from "pi-ai/call";
import type { AgentRun } from "./agent-run.js";

export function hasSideUsage({ pendingSide, sideResponses }: AgentRun): boolean {
  return pendingSide.size > 0 || sideResponses.length > 0;
}

/** Adds what requests beside the conversation used to the message that follows them, once those have ended. */
export async function withSideUsage(run: AgentRun, create: () => AssistantMessage): Promise<AssistantMessage> {
  if (!hasSideUsage(run)) return create();
  await settleSide(run);
  return noteSideUsage(run, create());
}

/** The part of a run that knows the requests beside the conversation. */
export type SideRun = Pick<AgentRun, "sideResponses" | "rememberedSide">;

/** The responses beside the conversation since a position, without their content, to be stored with the step they belong to. */
export function besideSince({ sideResponses }: SideRun, from: number): { beside?: AssistantMessage[] } {
  if (sideResponses.length <= from) return {};
  return {
    beside: sideResponses
      .slice(from)
      .filter(isResponse)
      .map((response) => ({ ...response, content: [] })),
  };
}

/** Adds those that an earlier process of a durable run received in a step. */
export function recallBeside(run: SideRun, beside: readonly AssistantMessage[] = []): void {
  run.sideResponses.push(...beside);
  run.rememberedSide.push(...beside);
}

function isResponse(side: Pick<AssistantMessage, "usage">): side is AssistantMessage {
  return "role" in side;
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
