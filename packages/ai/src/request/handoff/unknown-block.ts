/** The error for content blocks of a type that this version does not know. */
import { ConfigError, cutText } from "../../errors.js";

/**
 * Creates the error for a block of an unknown type, which an imported transcript may contain. Every `switch` over
 * blocks ends with it: the parameter type `never` makes a new block type fail to compile there.
 */
export function unknownBlock(block: never): ConfigError {
  const type: unknown = Reflect.get(block, "type");
  return new ConfigError(`Unknown type of content block: ${cutText(String(type), 100)}`);
}
