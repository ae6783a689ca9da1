/** The error for a run that different code started. */
import type { AgentMessage } from "../../types/message.js";

/** The steps of a run do not match those that an earlier process remembered. */
export class StepMismatchError extends Error {
  override readonly name = "StepMismatchError";
  /** The position of the step in its run, from 1. */
  readonly position: number;
  /** The step that this process is at. */
  readonly expected: string;
  /** The step that was remembered; undefined if the value was not written by this library. */
  readonly remembered: string | undefined;
  /** The conversation up to that step. */
  readonly messages: readonly AgentMessage[];

  constructor(
    at: { position: number; expected: string; remembered: string | undefined },
    messages: readonly AgentMessage[],
    problem?: string,
  ) {
    const found = at.remembered === undefined ? "an unreadable value" : `"${at.remembered}"`;
    super(
      problem ??
        `Step ${at.position} of the run is "${at.expected}", but ${found} was remembered. The code has changed since the run ` +
          "began: finish the run with the code that started it, or start a new run from the transcript in `messages`.",
    );
    this.position = at.position;
    this.expected = at.expected;
    this.remembered = at.remembered;
    this.messages = messages;
  }
}
