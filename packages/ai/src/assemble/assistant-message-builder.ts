/**
 * Assembles a message. This and the assembler of its blocks are the only code that makes an `AssistantMessageEvent`, so the
 * order of events is decided here: see `types/event.ts` for what is promised.
 */

import type { AssistantMessage, ErrorKind, MessageFacts, StopReason } from "../types/message.js";
import { createAssistantMessageDiagnostic } from "../utils/diagnostics.js";
import { needsResult } from "../utils/pending-call.js";
import { noteAttempts } from "../utils/request-attempts.js";
import { BlockAssembler } from "./block-assembler.js";
import type { Failure } from "./failure.js";
import { mergeUsage } from "./merge-usage.js";
import type { MessageSink, ResponseFacts, UsageCounts } from "./message-sink.js";
import { newFacts } from "./response-facts.js";

/** Assembles one message from the operations of a mapping, and emits its events. */
export class AssistantMessageBuilder extends BlockAssembler implements MessageSink {
  #stop: { reason: StopReason; message: string | undefined; kind: ErrorKind } | undefined;

  /** Whether the end marker has been seen. */
  get stopped(): boolean {
    return this.#stop !== undefined;
  }

  usage(counts: UsageCounts): void {
    this.draft.setUsage(mergeUsage(this.options.model, this.draft.snapshot.usage, counts));
  }

  response(facts: ResponseFacts, replace = false): void {
    const found = newFacts(replace ? {} : this.draft.snapshot, facts, this.options.model);
    if (found) this.adopt(found);
  }

  /** Takes facts that another builder worked out: the server of a relay knows the prices. */
  adopt(facts: Partial<MessageFacts & Pick<AssistantMessage, "usage">>): void {
    this.draft.setFacts(facts);
  }

  note(type: string, details?: Record<string, unknown>, error?: unknown): void {
    const diagnostics = [
      ...(this.draft.snapshot.diagnostics ?? []),
      createAssistantMessageDiagnostic(type, error, details),
    ];
    this.adopt({ diagnostics });
  }

  stop(reason: StopReason, message?: string, kind: ErrorKind = "unknown"): void {
    this.#stop = { reason, message, kind };
  }

  /**
   * Ends every block and the message with the reason that `stop` was given.
   *
   * @param clean removes secrets from a text of the provider before it becomes part of an error
   * @param attempts how often the request was sent, for traces
   */
  finish(clean: (text: string) => string = (text) => text, attempts = 1): AssistantMessage {
    const { reason, message, kind } = this.#stop ?? { reason: "error", message: "No stop reason", kind: "protocol" };
    if (reason === "error" || reason === "aborted") {
      return this.fail({ reason, errorMessage: clean(message ?? "An unknown error occurred"), error: { kind } });
    }
    this.start();
    this.endAll();
    const stopReason = reason === "stop" && this.draft.snapshot.content.some(needsResult) ? "toolUse" : reason;
    const final = this.draft.complete({ stopReason });
    if (attempts > 1) noteAttempts(final, attempts);
    this.emit({ type: "done", reason: stopReason, message: final });
    return final;
  }

  /** Ends every block and the message with an error. The content so far is kept. */
  fail(failure: Failure): AssistantMessage {
    this.endAll(true);
    const { reason, errorMessage, error } = failure;
    const final = this.draft.complete({ stopReason: reason, errorMessage, error });
    this.emit({ type: "error", reason, error: final });
    return final;
  }
}
