/** The keys of a provider in the environment, and what to say if there are none. */
import type { Provider } from "../../types/model.js";
import { ownValue } from "../../utils/own-value.js";
import { AMBIENT_KEY, type Environment } from "./environment.js";
import { KEY_VARIABLES } from "./key-variables.generated.js";

/** Returns the variables for a provider's key, in order of precedence; an empty list for an unknown provider. */
export function keyVariablesOf(provider: Provider): readonly string[] {
  return ownValue(KEY_VARIABLES, provider) ?? [];
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

/** An API key, its source, and how it is sent. */
export interface EnvCredential {
  /** The key; `"<authenticated>"` if the vendor's SDK finds the credentials itself. */
  apiKey: string;
  /** The variable that holds the key; absent if the credentials have several sources. */
  variable?: string;
  scheme: KeyScheme;
}

/** A key of the provider in a variable, and how it is sent; `undefined` if there is none. */
export function findCredential(provider: Provider, environment: Environment): EnvCredential | undefined {
  for (const variable of keyVariablesOf(provider)) {
    const value = environment.get(variable);
    if (value === undefined) continue;
    const scheme = ownValue(SCHEMES, variable) ?? "api-key";
    return { apiKey: scheme === "ambient" ? AMBIENT_KEY : value, variable, scheme };
  }
  return undefined;
}
