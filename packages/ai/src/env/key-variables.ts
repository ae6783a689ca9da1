/** The environment variables that contain the API key of a provider. */
import type { Provider } from "../types/model.js";
import { KEY_VARIABLES } from "./key-variables.generated.js";

/** Returns the variables for a provider's key, in order of precedence; an empty list for an unknown provider. */
export function keyVariablesOf(provider: Provider): readonly string[] {
  return Object.hasOwn(KEY_VARIABLES, provider) ? (KEY_VARIABLES[provider] ?? []) : [];
}

/** How a key is sent: like an API key of the provider, as a bearer token, or by the SDK, which reads it itself. */
export type KeyScheme = "api-key" | "bearer" | "ambient";

/**
 * Variables whose values are not sent like API keys (docs.anthropic.com, "Claude Code settings", and
 * docs.aws.amazon.com, "Use an Amazon Bedrock API key", 2026-11).
 */
const SCHEMES: Readonly<Record<string, KeyScheme>> = {
  ANTHROPIC_AUTH_TOKEN: "bearer",
  AWS_BEARER_TOKEN_BEDROCK: "ambient",
};

/** Returns how the value of a key variable is sent. */
export function keySchemeOf(variable: string): KeyScheme {
  return Object.hasOwn(SCHEMES, variable) ? (SCHEMES[variable] ?? "api-key") : "api-key";
}
