/** The proxy that the environment asks for. */
import { ConfigError } from "../errors.js";
import { type Environment, processEnvironment } from "./environment.js";

/** As Node's HTTP agents take it. */
export interface ProxyVariables {
  HTTP_PROXY?: string;
  HTTPS_PROXY?: string;
  NO_PROXY?: string;
}

/**
 * The proxy variables that concern an address; undefined where none does. `NO_PROXY` is left to the agent.
 *
 * @throws ConfigError for a proxy that is no HTTP proxy
 */
export function proxyVariablesFor(url: URL, environment: Environment = processEnvironment): ProxyVariables | undefined {
  const name = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const proxy = eitherCase(name, environment);
  if (proxy === undefined) return undefined;
  // A proxy may hold a password: the text names the variable only.
  if (!/^https?:$/.test(URL.parse(proxy)?.protocol ?? "")) {
    throw new ConfigError(
      `${name} is no address of an HTTP proxy (http:// or https://); SOCKS and PAC are not supported`,
    );
  }
  const exceptions = eitherCase("NO_PROXY", environment);
  return { [name]: proxy, ...(exceptions === undefined ? {} : { NO_PROXY: exceptions }) };
}

/** Small letters come first, as in curl. */
function eitherCase(name: string, environment: Environment): string | undefined {
  return environment.get(name.toLowerCase()) ?? environment.get(name);
}
