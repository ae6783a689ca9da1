/** Addresses of Google's services and names of the models behind them. */

/** Version of Vertex AI that addresses without one mean. */
const API_VERSION = "v1";
/** Locations that span several regions have hosts of their own (cloud.google.com, "Vertex AI locations", 2026-11). */
const MULTI_REGIONS: ReadonlySet<string> = new Set(["us", "eu"]);

/** A model of the Gemini API; a tuned one is given with its whole resource name. */
export function geminiResource(id: string): string {
  return /^(models|tunedModels)\//.test(id) ? id : `models/${id}`;
}

/** A model on Vertex AI. Those of other makers are named with their maker, a tuned one with its whole resource name. */
export function vertexResource(id: string): string {
  if (/^(publishers|projects|models)\//.test(id)) return id;
  const [publisher, name] = id.includes("/") ? id.split("/", 2) : ["google", id];
  return `publishers/${publisher}/models/${name}`;
}

/**
 * The address of Vertex AI with its version. The catalogue's address names no host; it only says that the host depends
 * on the location.
 *
 * @param location undefined with an API key, which is not bound to one
 */
export function vertexBaseUrl(baseUrl: string, location: string | undefined): string {
  const open = baseUrl === "" || baseUrl.includes("{location}");
  const address = open ? vertexHost(location) : baseUrl.replace(/\/+$/, "");
  return /\/v\d+(?:(?:alpha|beta)\d*)?(?:\/|$)/.test(address) ? address : `${address}/${API_VERSION}`;
}

/** Whether an address names the project already. */
export function namesProject(baseUrl: string): boolean {
  return baseUrl.includes("/projects/");
}

function vertexHost(location: string | undefined): string {
  if (location === undefined || location === "global") return "https://aiplatform.googleapis.com";
  if (MULTI_REGIONS.has(location)) return `https://aiplatform.${location}.rep.googleapis.com`;
  return `https://${location}-aiplatform.googleapis.com`;
}
