/** Requests one object, or one text, and repairs it if needed. */

import type { ContextInput } from "../types/context-input.js";
import type { Model } from "../types/model.js";
import { createJob, type ObjectOptions, type ObjectResult, runAttempts } from "./object-attempts.js";
import type { ObjectOf } from "./output-schema.js";

/**
 * Requests an output that fits a schema, and resolves when it does. An output that does not fit goes back to the model
 * `maxRepairs` times. The value is never converted to fit; only a schema's own transforms change it.
 *
 * @param context the conversation; a string is short for one user message
 * @throws ConfigError before anything is sent, if the schema or an option cannot be used
 * @throws OutputError if there is no valid output; its `kind` says why
 *
 * @example
 * const schema = Type.Object({ city: Type.String(), population: Type.Integer() });
 * const { object } = await completeObject(model, "The largest city of France?", { schema });
 * console.log(object.city, object.population);
 */
export async function completeObject<const TSchema extends object>(
  model: Model,
  context: string | ContextInput,
  options: ObjectOptions<TSchema>,
): Promise<ObjectResult<ObjectOf<TSchema>>> {
  const updates = runAttempts(createJob(model, context, options), false);
  for (;;) {
    const { done, value } = await updates.next();
    if (done) return value;
  }
}
