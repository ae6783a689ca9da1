/** Which environment variables hold a provider's API key. */
import type { Provider } from "../types/model.js";
import { KEY_VARIABLES } from "./key-variables.generated.js";

/** The variables that hold a provider's key, in order of precedence; none for an unknown provider. */
export function keyVariablesOf(provider: Provider): readonly string[] {
  return Object.hasOwn(KEY_VARIABLES, provider) ? (KEY_VARIABLES[provider] ?? []) : [];
}

/** How a key is sent: as the provider's API keys are, as a bearer token, or by the vendor's SDK, which reads it itself. */
export type KeyScheme = "api-key" | "bearer" | "ambient";

/**
 * Variables that are not sent as the provider's API keys are (docs.anthropic.com, "Claude Code settings", and
 * docs.aws.amazon.com, "Use an Amazon Bedrock API key", 2026-11).
 */
const SCHEMES: Readonly<Record<string, KeyScheme>> = {
  ANTHROPIC_AUTH_TOKEN: "bearer",
  AWS_BEARER_TOKEN_BEDROCK: "ambient",
};

/** How the value of a key variable is sent. */
export function keySchemeOf(variable: string): KeyScheme {
  return Object.hasOwn(SCHEMES, variable) ? (SCHEMES[variable] ?? "api-key") : "api-key";
}
