/** Finds errors that a server sends as an event of a stream, in no form that an api knows. */
import { isRecord } from "../utils/is-object.js";
import { isText } from "../utils/read-text.js";

type Fields = Record<string, unknown>;

/** The fields of a code, in which 0 and the codes of a success stand for none. */
const CODES = ["code", "status", "statusCode", "status_code", "error_code"];
/** Words that are codes of a success or of progress. Any other text under `code` is one of an error. */
const FAILED = /error|fail|denied|invalid|exceed|limit|unauth|forbidden|unavailable|timeout|overload/i;

/**
 * Whether an event is an error, without an `error` around it: vLLM sends `{ object: "error", message, code }`, gateways
 * `{ code, msg }`, `{ detail }`, `{ success: false, errors }` or a `base_resp` with a code. What only tells how a request
 * is getting on is none.
 */
export function isBareFailure(event: Fields): boolean {
  const { type, object, base_resp: base, errors, detail, success } = event;
  if ((type !== undefined && !isErrorType(type)) || hasContent(event)) return false;
  if (isFilled(errors) || isFilled(detail)) return true;
  if (isRecord(base) && isErrorCode(base["status_code"])) return true;
  if (![event["message"], event["msg"], event["error_msg"]].some(isText)) return false;
  return (
    type !== undefined || object === "error" || success === false || CODES.some((name) => isErrorCode(event[name]))
  );
}

function isErrorType(type: unknown): boolean {
  return isText(type) && type.length > "error".length && type.toLowerCase().endsWith("error");
}

/** Whether it has what the events without a type hold; such an event is no error by itself. */
function hasContent({ choices, candidates, delta, response, error }: Fields): boolean {
  return isFilled(choices) || isFilled(candidates) || isFilled(delta) || isFilled(response) || isFilled(error);
}

/** Whether a value is one, and no empty list. */
export function isFilled(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

/** Gateways number errors as HTTP does, or by codes of their own; 0 and 2xx are none. */
function isErrorCode(code: unknown): boolean {
  const number = typeof code === "number" || (isText(code) && /^-?\d+$/.test(code)) ? Number(code) : undefined;
  if (number === undefined) return isText(code) && FAILED.test(code);
  return number !== 0 && (number < 200 || number >= 400);
}
