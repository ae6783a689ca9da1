/** Creates Bedrock's errors. Users match the texts, so they must not change between versions. */
import type { ProviderError } from "../../errors.js";
import { createStreamError } from "../../transport/index.js";
import { ownValue } from "../../utils/own-value.js";
import type { AwsEvent } from "../../wire/index.js";

/** By the exception's name in lower case: HTTP responses and events capitalize it differently. */
const TITLES: Readonly<Record<string, string>> = {
  internalserverexception: "Internal server error",
  modelstreamerrorexception: "Model stream error",
  validationexception: "Validation error",
  throttlingexception: "Throttling error",
  serviceunavailableexception: "Service unavailable",
};

/** For responses that do not name their exception. */
const TITLES_BY_KIND: Readonly<Record<string, string>> = {
  invalid_request: "Validation error",
  context_overflow: "Validation error",
  rate_limit: "Throttling error",
  overloaded: "Service unavailable",
  server: "Internal server error",
};

/** An exception or an error in the middle of a stream. */
export function createExceptionError({ name, payload }: AwsEvent, provider: string): ProviderError {
  const said = payload["message"] ?? payload["Message"] ?? payload["originalMessage"];
  const message = typeof said === "string" && said !== "" ? said : "no reason given";
  const text = `${titleOf(name) ?? (name || "Unknown error")}: ${message}`;
  return createStreamError({ error: { code: name, message } }, provider).withMessage(text);
}

/** An HTTP error response. */
export function withTitle(error: ProviderError): ProviderError {
  const title = titleOf(error.code) ?? error.code ?? TITLES_BY_KIND[error.kind];
  const said = error.message.replace(/^\d{3} /, "");
  return title === undefined ? error : error.withMessage(`${title}: ${said}`);
}

function titleOf(name: string | undefined): string | undefined {
  const key = name?.toLowerCase() ?? "";
  return ownValue(TITLES, key);
}
