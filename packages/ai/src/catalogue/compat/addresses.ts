/** The addresses of the endpoints of Azure OpenAI, Google and AWS. */
import { ConfigError } from "../../errors.js";

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

// Builds Google's endpoint addresses and model resource names.

/** The API version of Vertex AI for URLs without one. */
const API_VERSION = "v1";
/** Multi-region locations have their own hosts (cloud.google.com, "Vertex AI locations", 2026-11). */
const MULTI_REGIONS: ReadonlySet<string> = new Set(["us", "eu"]);

/** The resource name of a Gemini API model. The id of a tuned model already is one. */
export function geminiResource(id: string): string {
  return /^(models|tunedModels)\//.test(id) ? id : `models/${id}`;
}

/**
 * The resource name of a Vertex AI model. Ids of other vendors' models include the publisher; the id of a tuned model
 * already is a resource name.
 */
export function vertexResource(id: string): string {
  if (/^(publishers|projects|models)\//.test(id)) return id;
  const [publisher, name] = id.includes("/") ? id.split("/", 2) : ["google", id];
  return `publishers/${publisher}/models/${name}`;
}

/**
 * The base URL of Vertex AI with its version. The catalogue's URL has a placeholder instead of the location's host.
 *
 * @param location undefined with an API key, which is valid for every location
 */
export function vertexBaseUrl(baseUrl: string, location: string | undefined): string {
  const open = baseUrl === "" || baseUrl.includes("{location}");
  const address = open ? vertexHost(location) : baseUrl.replace(/\/+$/, "");
  return /\/v\d+(?:(?:alpha|beta)\d*)?(?:\/|$)/.test(address) ? address : `${address}/${API_VERSION}`;
}

/** Whether a URL already contains the project. */
export function namesProject(baseUrl: string): boolean {
  return baseUrl.includes("/projects/");
}

function vertexHost(location: string | undefined): string {
  if (location === undefined || location === "global") return "https://aiplatform.googleapis.com";
  if (MULTI_REGIONS.has(location)) return `https://aiplatform.${location}.rep.googleapis.com`;
  return `https://${location}-aiplatform.googleapis.com`;
}

// Reads regions from AWS endpoint URLs and ARNs.

const STANDARD_ENDPOINT = /^https:\/\/bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?\/*$/;
const ARN = /^arn:aws[a-z-]*:bedrock:([a-z0-9-]+):/;

/** The region of an AWS endpoint; undefined for other URLs, such as those of proxies and private endpoints. */
export function regionOfEndpoint(baseUrl: string): string | undefined {
  return STANDARD_ENDPOINT.exec(baseUrl)?.[1];
}

/** The region in a model's ARN; undefined for a plain model id. */
export function regionOfModel(id: string): string | undefined {
  return ARN.exec(id)?.[1];
}
