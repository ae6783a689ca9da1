/** Data of a page or of another client: of any shape, and nested so deep that everything later that recurses would fail. */
import type { AssistantMessage } from "pi-ai";
import { DEFAULT_MAX_JSON_DEPTH, isDeeperThan, isJsonDeeperThan, PiError, repeatedIdOf } from "pi-ai/call";

/**
 * Refuses a value that is nested too deep.
 *
 * @param path where the client sent it, such as `messages.2.parts.0.input`
 * @throws PiError of the kind `invalid_request` that names the place
 */
export function checkDepth(value: unknown, path: string, maxDepth: number = DEFAULT_MAX_JSON_DEPTH): void {
  if (isDeeperThan(value, maxDepth)) throw tooDeep(path, maxDepth);
}

/** The same for the JSON of a value. Does not parse it. */
export function checkJsonDepth(json: string, path: string, maxDepth: number = DEFAULT_MAX_JSON_DEPTH): void {
  if (isJsonDeeperThan(json, maxDepth)) throw tooDeep(path, maxDepth);
}

/** The same for a value that is written as JSON anyway, which it returns. */
export function checkJson(value: object, path: string, maxDepth: number): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch (error) {
    // What writes JSON may recurse.
    checkDepth(value, path, maxDepth);
    throw error;
  }
  checkJsonDepth(json ?? "", path, maxDepth);
  return json ?? "";
}

function tooDeep(path: string, maxDepth: number): PiError {
  return new PiError("invalid_request", `${path}: nested deeper than ${maxDepth} levels`);
}

/**
 * Refuses anything but a list of messages, such as the whole body of a request: the conversation would be empty.
 *
 * @param name the function that was called
 * @throws PiError of the kind `invalid_request`
 */
export function assertMessageList(messages: unknown, name: string): void {
  if (!Array.isArray(messages))
    throw new PiError("invalid_request", `${name} takes the list of messages. Write ${name}(body.messages).`);
}

/** The items of a list; none for anything else. */
export function listOf(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list : [];
}

/** The objects of a list. */
export function toRecords(list: unknown): Readonly<Record<string, unknown>>[] {
  return listOf(list).filter((item) => typeof item === "object" && item !== null) as Record<string, unknown>[]; // Just checked.
}

/**
 * Refuses a response of which two calls have one id: nobody could say which of them was shown, answered, or has the result.
 *
 * @throws PiError of the kind `invalid_request` that names the id
 */
export function checkIds(content: AssistantMessage["content"]): void {
  const id = repeatedIdOf(content);
  if (id !== undefined)
    throw new PiError(
      "invalid_request",
      `Two calls of one response have the id ${JSON.stringify(id.slice(0, MAX_ID))}`,
    );
}

/** The longest id in the text of an error. */
const MAX_ID = 100;
