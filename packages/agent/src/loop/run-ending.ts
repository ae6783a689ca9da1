/** Why a run ends although its model is not done: a limit, questions to people, or an error that waits for a whole transcript. */
import { pendingRequests } from "../pause/index.js";
import { RepeatedRounds } from "../repeated-rounds.js";
import type { RunStop } from "../types/event.js";
import type { AgentMessage } from "../types/message.js";
import type { Pause } from "../types/pause.js";

export class RunEnding {
  /** Counts the rounds of tool calls that repeat the one before. */
  readonly rounds: RepeatedRounds = new RepeatedRounds();
  #responses = 0;
  #stop: RunStop | undefined;
  #pause: Pause | undefined;
  #failure: { readonly error: unknown } | undefined;
  #isShown = false;

  /** How many responses the run has had, for `maxTurns`. A first turn that only runs the answered calls of a pause has none. */
  get responses(): number {
    return this.#responses;
  }

  countResponse(): void {
    this.#responses++;
  }

  /** The limit that ends the run. */
  get stop(): RunStop | undefined {
    return this.#stop;
  }

  /** Sets the limit that ends the run. */
  stopBecause(stop: RunStop): void {
    this.#stop = stop;
  }

  /** The questions that end the run, because it needs their answers. */
  get pause(): Pause | undefined {
    return this.#pause;
  }

  /** Ends the run with the open questions of this conversation, because it needs their answers. */
  pauseFor(messages: readonly AgentMessage[]): void {
    this.#pause = { requests: pendingRequests(messages) };
  }

  /** Keeps an error until {@link throwFailure} throws it, or {@link takeFailure} returns it. The first one counts. */
  keepFailure(error: unknown): void {
    this.#failure ??= { error };
  }

  /** The transcript shows already that the run has failed, so the error that is kept is not shown again. */
  markShown(): void {
    this.#isShown = true;
  }

  /** Returns the error that is kept, once, unless the transcript shows already that the run has failed. */
  takeFailure(): { readonly error: unknown } | undefined {
    const failure = this.#isShown ? undefined : this.#failure;
    if (failure) this.#isShown = true;
    return failure;
  }

  /**
   * Called where the transcript is whole, so that the run can fail: before the calls run with which a run goes on, before each
   * request, and at the end of the last turn. What comes after that rejects the promise of `runAgentLoop`, or goes to
   * `onLateFailure`.
   *
   * @throws the error that {@link takeFailure} returns
   */
  throwFailure(): void {
    const failure = this.takeFailure();
    if (failure) throw failure.error;
  }
}
