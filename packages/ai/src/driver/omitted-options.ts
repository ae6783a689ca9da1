/** Options that a request leaves out, each with a diagnostic of the message. */
import type { RequestNote } from "../transport/index.js";
import type { Model } from "../types/model.js";
import type { SimpleStreamOptions } from "../types/options.js";
import type { ApiAdapter } from "./api-adapter.js";

/**
 * Why an option is not sent: the model refuses it, refuses it in a request that thinks, or refuses it together with a
 * temperature; the model cannot think; the api has no field for it; or the caller names no session.
 */
export type OmissionReason =
  | "refused_by_model"
  | "refused_while_thinking"
  | "refused_beside_temperature"
  | "model_cannot_think"
  | "no_field_in_api"
  | "needs_session_id";

/** The diagnostic for an option that is not sent. */
export function omittedOption(name: string, reason: OmissionReason): RequestNote {
  return { type: "option_omitted", details: { name, reason } };
}

/**
 * The options of a call that no request of this api or to this model can carry.
 *
 * @param options as the caller gave them
 */
export function optionsWithoutField(
  { omits = [] }: Pick<ApiAdapter, "omits">,
  { reasoning }: Pick<Model, "reasoning">,
  options: SimpleStreamOptions,
): RequestNote[] {
  const lacking = omits.filter((name) => options[name] !== undefined);
  const notes = lacking.map((name) => omittedOption(name, "no_field_in_api"));
  const thinksInVain = options.reasoning !== undefined && !reasoning;
  return thinksInVain ? [...notes, omittedOption("reasoning", "model_cannot_think")] : notes;
}
