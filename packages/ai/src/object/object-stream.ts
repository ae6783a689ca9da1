/** Requests typed output and streams it. */
import { AbortedError } from "../errors.js";
import type { ContextInput } from "../types/context-input.js";
import type { Model } from "../types/model.js";
import { createJob, type ObjectOptions, type ObjectResult, type ObjectUpdate, runAttempts } from "./object-attempts.js";
import type { ObjectOf } from "./output-schema.js";

type Step<TObject> = IteratorResult<ObjectUpdate<TObject>, ObjectResult<TObject>>;

/** A place in the list of updates. Its update is requested by the first reader that comes there; the others get the same. */
interface Place<TObject> {
  step?: Promise<Step<TObject>>;
  next?: Place<TObject>;
}

/**
 * The updates of one output, and its result. Iteration ends with the output, or throws the error with which `result`
 * rejects. Leaving the loop early aborts the request, unless the result was requested before.
 */
export class ObjectStream<TObject> implements AsyncIterable<ObjectUpdate<TObject>> {
  readonly #updates: AsyncGenerator<ObjectUpdate<TObject>, ObjectResult<TObject>>;
  readonly #outcome = Promise.withResolvers<ObjectResult<TObject>>();
  /** Where a new reader begins: behind what was read by any. The first update is awaited at once, so that the request starts. */
  #place: Place<TObject>;
  #draining = false;

  /** @internal */
  constructor(updates: AsyncGenerator<ObjectUpdate<TObject>, ObjectResult<TObject>>) {
    this.#updates = updates;
    // A rejection that no caller observes must not end the process.
    this.#outcome.promise.catch(() => {});
    const step = this.#step();
    step.catch(() => {});
    this.#place = { step };
  }

  /** Settles as `completeObject` does. Reads the rest by itself, so it need not be iterated. */
  result(): Promise<ObjectResult<TObject>> {
    if (!this.#draining) {
      this.#draining = true;
      void this.#drain();
    }
    return this.#outcome.promise;
  }

  /** The updates from now on. Each reader gets all of them. */
  [Symbol.asyncIterator](): AsyncIterator<ObjectUpdate<TObject>, undefined, undefined> {
    const next = this.#read();
    return {
      next: async () => {
        const step = await next();
        return step.done ? { value: undefined, done: true } : step;
      },
      return: async () => {
        if (!this.#draining) await this.#abandon();
        return { value: undefined, done: true };
      },
    };
  }

  /** Reads from here on. */
  #read(): () => Promise<Step<TObject>> {
    let place = this.#place;
    return async () => {
      const here = place;
      here.next ??= {};
      place = here.next;
      here.step ??= this.#step();
      const step = await here.step;
      if (this.#place === here) this.#place = here.next;
      return step;
    };
  }

  async #step(): Promise<Step<TObject>> {
    try {
      const step = await this.#updates.next();
      // Only the last step carries the result; any later one is empty.
      if (step.done && step.value) this.#outcome.resolve(step.value);
      return step;
    } catch (error) {
      this.#outcome.reject(error);
      throw error;
    }
  }

  async #drain(): Promise<void> {
    const next = this.#read();
    try {
      while (!(await next()).done);
    } catch {
      // The outcome already holds the error.
    }
  }

  async #abandon(): Promise<void> {
    this.#outcome.reject(new AbortedError());
    // Ends the loop over the events of the response, which closes the connection.
    await this.#updates.return(undefined as never).catch(() => {}); // the value is not read
  }
}

/**
 * Requests an output that fits a schema, and streams it. The request starts immediately.
 *
 * @param context the conversation; a string is short for one user message
 * @throws ConfigError before anything is sent, if the schema or an option cannot be used. Later failures are thrown by
 * the iteration and by `result()`, as an OutputError.
 *
 * @example
 * const stream = streamObject(model, "Plan a week in Rome", { schema });
 * for await (const { partial } of stream) render(partial);
 * const { object } = await stream.result();
 */
export function streamObject<const TSchema extends object>(
  model: Model,
  context: string | ContextInput,
  options: ObjectOptions<TSchema>,
): ObjectStream<ObjectOf<TSchema>> {
  return new ObjectStream(runAttempts(createJob(model, context, options), true));
}
