/** Checks the form of messages that an application passes, so that a mistake is found where it was made. */
import { isObject, isText, refuse } from "./check-options.js";

const ROLES: readonly unknown[] = ["user", "assistant", "toolResult"];

/**
 * Checks a message with one of the roles that models know; the application's own messages may have any form.
 *
 * @param place names the argument and the position, such as `messages[3]`
 * @throws TypeError that names the place, down to the block
 */
export function assertMessage(message: unknown, place: string): void {
  isObject(place, message);
  const { role, content } = Object(message);
  if (!ROLES.includes(role) || typeof content === "string") return;
  if (!Array.isArray(content)) refuse(`${place}.content`, "a string or a list of blocks", content);
  for (const [index, block] of content.entries()) {
    isObject(`${place}.content[${index}]`, block);
    isText(`${place}.content[${index}].type`, block.type);
  }
}
