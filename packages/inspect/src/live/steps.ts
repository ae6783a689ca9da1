/** The steps of a live run, from which its entries are written. */
import type { Instructions } from "../record/conversation.js";
import type { Fields } from "../record/fields.js";
import type { Wire } from "../record/wire.js";

/** A run begins. */
export interface BeginStep {
  readonly type: "run_begin";
  readonly id: string;
  readonly model: string;
  readonly instructions: Instructions;
  /** The whole conversation, if the application has changed it since the last run. */
  readonly replaced: readonly unknown[] | undefined;
}

/** A request begins, changes or ends. */
export interface RequestStep {
  readonly type: "request_start" | "request_update" | "request_end";
  readonly wire: Wire;
  readonly model: string;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  /** The message of the response; empty before the end. */
  readonly message: Fields;
}

/** An event of the agent, one of the steps above, or `stop` when the watch of the agent ends. */
export type Step = { readonly type: string };
