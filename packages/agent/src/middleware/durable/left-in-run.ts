/**
 * The effects of a step on its run besides its value: messages that middleware adds, and requests beside the
 * conversation. Another process that repeats the step does not do the work, and gets both from what is stored.
 */
import type { AssistantMessage } from "pi-ai";
import type { AgentMessage } from "../../types/message.js";
import type { SideResponse, StepRun } from "../../types/run-steps.js";

/** The part of a step that is stored beside its value. */
interface Traces {
  /** Messages that middleware has added. */
  added?: readonly AgentMessage[];
  /** Responses to requests beside the conversation, without their content. */
  beside?: readonly SideResponse[];
}

export class LeftInRun {
  readonly #run: StepRun;
  /** The responses beside the conversation that a step has stored. */
  readonly #stored = new WeakSet<SideResponse>();
  /** Those that an earlier process received, until middleware knows of them. Undefined once this process does new work. */
  #remembered: AssistantMessage[] | undefined = [];

  constructor(run: StepRun) {
    this.#run = run;
  }

  /** Does the work of a step, and returns its value with what it has left. */
  async record<TValue extends object>(work: () => Promise<TValue>): Promise<TValue & Traces> {
    const { added, side } = this.#run;
    this.catchUp();
    const [addedBefore, besideBefore] = [added.length, side.responses.length];
    const value = await work();
    const messages = added.slice(addedBefore);
    // Steps of parallel calls overlap, so each response is stored once.
    const responses = side.responses.slice(besideBefore).filter((response) => !this.#stored.has(response));
    for (const response of responses) this.#stored.add(response);
    const beside = responses.map((response) => (isResponse(response) ? { ...response, content: [] } : response));
    return { ...value, ...(messages.length > 0 && { added: messages }), ...(beside.length > 0 && { beside }) };
  }

  /** Adds to the run what the work of a step has left in an earlier process. */
  async recall({ added = [], beside = [] }: Traces): Promise<void> {
    const run = this.#run;
    for (const response of beside) this.#stored.add(response);
    run.side.add(...beside);
    const responses = beside.filter(isResponse);
    if (this.#remembered) this.#remembered.push(...responses);
    // A call that runs in parallel has begun new work.
    else this.#tell(responses);
    for (const message of added) await run.add(message);
  }

  /**
   * Tells middleware of the remembered responses: it may refuse more work because of them. Called before work that no earlier
   * process has done: a response that is remembered, too, names what came before it itself.
   */
  catchUp(): void {
    const remembered = this.#remembered ?? [];
    this.#remembered = undefined;
    this.#tell(remembered);
  }

  /** Forgets all: a response that an earlier process received has named them. */
  clear(): void {
    this.#run.side.clear();
    if (this.#remembered) this.#remembered = [];
  }

  #tell(responses: readonly AssistantMessage[]): void {
    for (const response of responses) this.#run.middleware.onRemembered?.(response, false);
  }
}

/** The usage of an agent comes without a response. */
function isResponse(side: SideResponse): side is AssistantMessage {
  return "role" in side;
}
