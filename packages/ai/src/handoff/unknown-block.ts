/** Blocks of a type that this version does not know. */
import { ConfigError, cutText } from "../errors.js";

/**
 * The error for a block of an unknown type, as a transcript from elsewhere may hold it. Every `switch` over blocks ends
 * with it: the parameter's type makes a new type of block fail to compile there.
 */
export function unknownBlock(block: never): ConfigError {
  const type: unknown = Reflect.get(block, "type");
  return new ConfigError(`Unknown type of content block: ${cutText(String(type), 100)}`);
}
