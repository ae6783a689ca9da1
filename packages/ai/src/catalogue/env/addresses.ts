/** Addresses that depend on the environment: base URLs with the user's account, and the proxy of the network. */
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

// The HTTP proxy.

/** The variables in the form that the HTTP agents of Node.js accept. */
export interface HttpProxyVariables {
  HTTP_PROXY?: string;
  HTTPS_PROXY?: string;
  NO_PROXY?: string;
}

/**
 * Returns the HTTP proxy variables for a URL; undefined if there are none. The agent applies `NO_PROXY`.
 *
 * @throws ConfigError for a proxy that is not an HTTP proxy
 */
export function httpProxyVariablesFor(
  url: URL,
  environment: Environment = processEnvironment,
): HttpProxyVariables | undefined {
  const name = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const httpProxy = eitherCase(name, environment);
  if (httpProxy === undefined) return undefined;
  // The URL of a proxy may contain a password, so the error text only names the variable.
  if (!/^https?:$/.test(URL.parse(httpProxy)?.protocol ?? "")) {
    throw new ConfigError(
      `${name} is not the address of an HTTP proxy (http:// or https://); SOCKS and PAC are not supported`,
    );
  }
  const exceptions = eitherCase("NO_PROXY", environment);
  return { [name]: httpProxy, ...(exceptions === undefined ? {} : { NO_PROXY: exceptions }) };
}

/** The lower-case name has precedence, as in curl. */
function eitherCase(name: string, environment: Environment): string | undefined {
  return environment.get(name.toLowerCase()) ?? environment.get(name);
}
