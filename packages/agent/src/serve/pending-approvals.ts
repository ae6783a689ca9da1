import type { ApprovalRequest } from "../types/approval.js";
import type { AgentEvent } from "../types/event.js";

/** Finds where a run waits for the answers of a page, and where it continues with them. */
export class PendingApprovals {
  readonly #answers: ReadonlySet<string>;
  readonly #wait: (requests: readonly ApprovalRequest[]) => void;
  /** The requests that have neither an answer nor a decision. */
  readonly #open = new Map<string, ApprovalRequest>();
  #isContinued: boolean;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param wait called once all approvals of a response were requested */
  constructor(
    answers: readonly { readonly name: string }[] = [],
    wait: (requests: readonly ApprovalRequest[]) => void,
  ) {
    this.#answers = new Set(answers.map(({ name }) => name));
    this.#wait = wait;
    this.#isContinued = this.#answers.size === 0;
  }

  /** Returns whether the page needs the event. */
  see(event: AgentEvent): boolean {
    if (event.type === "approval_requested" && !this.#answers.has(event.request.name)) {
      this.#open.set(event.request.name, event.request);
    } else if (event.type === "approval_resolved") {
      this.#open.delete(event.request.name);
      this.#isContinued ||= this.#answers.has(event.request.name);
    }
    if (this.#isContinued && this.#open.size > 0) this.#schedule();
    return this.#isContinued || event.type === "agent_end";
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** The approvals are requested one right after the other, and no event tells which is the last. */
  #schedule(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#open.size > 0) this.#wait([...this.#open.values()]);
    });
  }
}
