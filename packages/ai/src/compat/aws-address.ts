/** Reads regions from AWS endpoint URLs and ARNs. */

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
