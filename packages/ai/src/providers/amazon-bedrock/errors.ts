/** Failures of Bedrock, in words that stay the same from version to version: users match them. */
import type { ProviderError } from "../../errors.js";
import { createStreamError } from "../../transport/http-error.js";
import type { AwsEvent } from "../../wire/aws-event-stream.js";

/** By the exception's name in small letters: HTTP answers and events differ in the first one. */
const TITLES: Readonly<Record<string, string>> = {
  internalserverexception: "Internal server error",
  modelstreamerrorexception: "Model stream error",
  validationexception: "Validation error",
  throttlingexception: "Throttling error",
  serviceunavailableexception: "Service unavailable",
};

/** For answers that do not name their exception. */
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
  const error = createStreamError({ error: { code: name, message } }, provider);
  return error.withMessage(`${titleOf(name) ?? (name || "Unknown error")}: ${message}`);
}

/** An HTTP answer that says no. */
export function withTitle(error: ProviderError): ProviderError {
  const title = titleOf(error.code) ?? error.code ?? TITLES_BY_KIND[error.kind];
  const said = error.message.replace(/^\d{3} /, "");
  return title === undefined ? error : error.withMessage(`${title}: ${said}`);
}

function titleOf(name: string | undefined): string | undefined {
  const key = name?.toLowerCase() ?? "";
  return Object.hasOwn(TITLES, key) ? TITLES[key] : undefined;
}
