/** The state of one request, which its steps share. */
import type { AssistantMessageBuilder, AssistantMessageEventStream } from "../message/index.js";
import type { RequestNote } from "../transport/index.js";
import type { RequestGuard } from "../utils/request-guard.js";
import type { WireMapping } from "./api-adapter.js";
import type { RequestSecrets } from "./request-secrets.js";
import type { RequestThread } from "./request-thread.js";
import type { RequestWatch } from "./watch/watch-request.js";

export interface RequestState {
  readonly guard: RequestGuard;
  readonly stream: AssistantMessageEventStream;
  readonly builder: AssistantMessageBuilder;
  readonly secrets: RequestSecrets;
  /** Publishes the request for an inspector; undefined if nothing listens. */
  watch?: RequestWatch | undefined;
  /** Sends the request as one of a thread; undefined if it carries the whole conversation. */
  thread?: RequestThread | undefined;
  /** Makes a mapping turn the names in the response back; undefined if no name differs. */
  restore?: ((mapping: WireMapping) => WireMapping) | undefined;
  /** The number of requests sent so far. */
  attempts: number;
  /** The address that was asked last, as the request has it. */
  address?: string | undefined;
}

/** Adds diagnostics to the message. */
export function noteAll(notes: readonly RequestNote[] = [], { builder }: RequestState): void {
  for (const { type, details } of notes) builder.note(type, details);
}

/**
 * Waits until a request may be sent again.
 *
 * @param delay milliseconds; undefined if the error is final, which is thrown
 */
export async function waitToRetry(
  error: unknown,
  delay: number | undefined,
  { guard, watch }: RequestState,
): Promise<void> {
  if (delay === undefined) throw error;
  watch?.wait(delay, error);
  guard.rest();
  await guard.sleep(delay);
}
