/** Why a run ends although its model is not done: a limit, questions to people, or an error that waits for a whole transcript. */
import { pendingRequests } from "../pause/index.js";
import { RepeatedRounds } from "../repeated-rounds.js";
import type { RunStop } from "../types/event.js";
import type { AgentMessage } from "../types/message.js";
import type { Pause } from "../types/pause.js";

export class RunEnding {
  /** Counts the rounds of tool calls that repeat the one before. */
  readonly rounds: RepeatedRounds = new RepeatedRounds();
  #stop: RunStop | undefined;
  #pause: Pause | undefined;
  #failure: { readonly error: unknown } | undefined;
  #isTold = false;

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

  /** Ends the run, because calls of this conversation need answers. */
  waitForAnswers(messages: readonly AgentMessage[]): void {
    this.#pause = { requests: pendingRequests(messages) };
  }

  /** The run fails at the next point where its transcript is whole. The first error counts. */
  noteFailure(error: unknown): void {
    this.#failure ??= { error };
  }

  /** The transcript says that the run has failed. */
  tellFailure(): void {
    this.#isTold = true;
  }

  /** Returns the error that was noted, once, unless the transcript says already that the run has failed. */
  takeFailure(): { readonly error: unknown } | undefined {
    const failure = this.#isTold ? undefined : this.#failure;
    if (failure) this.#isTold = true;
    return failure;
  }

  /** @throws the error that {@link takeFailure} returns */
  assertWell(): void {
    const failure = this.takeFailure();
    if (failure) throw failure.error;
  }
}
