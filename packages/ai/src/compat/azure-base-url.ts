/** The addresses of Azure's OpenAI resources, in the forms in which Azure's own pages show them. */
import { ConfigError } from "../errors.js";

/** The hosts of resources (learn.microsoft.com, "Azure OpenAI in Foundry Models: v1 API", 2026-11). */
const RESOURCE_HOSTS: readonly string[] = [
  ".openai.azure.com",
  ".cognitiveservices.azure.com",
  ".services.ai.azure.com",
];

const API_PATH = "/openai/v1";

/** The address of a resource by its name. */
export function azureResourceUrl(name: string): string {
  return `https://${encodeURIComponent(name)}.openai.azure.com${API_PATH}`;
}

/**
 * A resource's address becomes that of its v1 API, whether it was given alone, with `/openai`, or with the operation and
 * the query of the portal's "target URI". Other hosts, such as gateways, are taken as they are.
 *
 * @throws ConfigError for a text that is no address
 */
export function normalizeAzureBaseUrl(text: string): string {
  if (!URL.canParse(text)) throw new ConfigError(`Invalid Azure OpenAI base URL: ${text}`);
  const url = new URL(text);
  if (!RESOURCE_HOSTS.some((host) => url.hostname.endsWith(host))) return text.replace(/\/$/, "");
  const path = url.pathname.replace(/\/$/, "").replace(/\/responses$/, "");
  return `${url.origin}${path === "" || path === "/openai" ? API_PATH : path}`;
}
