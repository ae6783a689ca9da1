/** A request to a model. */
import type { Context, Model, SimpleStreamOptions } from "pi-ai";

/** One request to the model, for `wrapModelCall`. */
export interface ModelRequest {
  /** The model. */
  model: Model;
  /** The system prompt, the messages after `convertToLlm`, and the tools. */
  context: Context;
  /** The options of the request, with the API key and the signal. */
  options: SimpleStreamOptions;
  /** The name of the middleware that sends the request beside the conversation. Absent for the request of a turn. */
  origin?: string;
}
