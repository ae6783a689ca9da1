/** Builds Google's endpoint addresses and model resource names. */

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
