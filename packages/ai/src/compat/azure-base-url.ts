/** Normalizes the URLs of Azure OpenAI resources. */
import { ConfigError } from "../errors.js";

/** The hosts of resources (learn.microsoft.com, "Azure OpenAI in Foundry Models: v1 API", 2026-11). */
const RESOURCE_HOSTS: readonly string[] = [
  ".openai.azure.com",
  ".cognitiveservices.azure.com",
  ".services.ai.azure.com",
];

const API_PATH = "/openai/v1";

/** The URL of a resource, from its name. */
export function azureResourceUrl(name: string): string {
  return `https://${encodeURIComponent(name)}.openai.azure.com${API_PATH}`;
}

/**
 * Returns the URL of a resource's v1 API. Accepts the resource's URL alone, with `/openai`, and with the operation and
 * query of the portal's "target URI". URLs on other hosts, such as gateways, stay unchanged.
 *
 * @throws ConfigError for an invalid URL
 */
export function normalizeAzureBaseUrl(text: string): string {
  if (!URL.canParse(text)) throw new ConfigError(`Invalid Azure OpenAI base URL: ${text}`);
  const url = new URL(text);
  if (!RESOURCE_HOSTS.some((host) => url.hostname.endsWith(host))) return text.replace(/\/$/, "");
  const path = url.pathname.replace(/\/$/, "").replace(/\/responses$/, "");
  return `${url.origin}${path === "" || path === "/openai" ? API_PATH : path}`;
}
