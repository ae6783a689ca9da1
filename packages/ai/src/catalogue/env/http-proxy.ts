/** Reads the HTTP proxy settings from the environment. */
import { ConfigError } from "../../errors.js";
import { type Environment, processEnvironment } from "./environment.js";

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
