/** Base URLs that contain the user's account, from the environment. */
import { ConfigError } from "../../errors.js";
import type { Model } from "../../types/model.js";
import { type Environment, processEnvironment } from "./environment.js";

/**
 * The only variables that a base URL may name in braces, so that an untrusted URL can never read a secret.
 * (developers.cloudflare.com, "Workers AI: REST API" and "AI Gateway: Provider native", 2026-11)
 */
const PLACEHOLDERS: readonly string[] = ["CLOUDFLARE_ACCOUNT_ID", "CLOUDFLARE_GATEWAY_ID"];

/**
 * Returns the model's base URL, with `{CLOUDFLARE_ACCOUNT_ID}` and `{CLOUDFLARE_GATEWAY_ID}` replaced by the values of
 * these variables. Other braces are kept.
 *
 * @throws ConfigError with the name of the variable to set
 */
export function resolveBaseUrl(
  model: Pick<Model, "baseUrl" | "provider">,
  environment: Environment = processEnvironment,
): string {
  let url = model.baseUrl;
  if (!url.includes("{")) return url;
  for (const name of PLACEHOLDERS) {
    if (!url.includes(`{${name}}`)) continue;
    const value = environment.get(name);
    if (value === undefined) {
      throw new ConfigError(
        `${name} is not set: the base URL of provider ${model.provider} needs it. Set the environment variable, or give the model a baseUrl of your own.`,
      );
    }
    url = url.replaceAll(`{${name}}`, () => encodeURIComponent(value));
  }
  return url;
}
