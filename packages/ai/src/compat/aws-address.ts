/** What Amazon's addresses and resource names say. */

const STANDARD_ENDPOINT = /^https:\/\/bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?\/*$/;
const ARN = /^arn:aws[a-z-]*:bedrock:([a-z0-9-]+):/;

/** The region of one of Amazon's own addresses; undefined for any other, which is a proxy or a private one. */
export function regionOfEndpoint(baseUrl: string): string | undefined {
  return STANDARD_ENDPOINT.exec(baseUrl)?.[1];
}

/** The region in which a model that is named by its ARN lives. */
export function regionOfModel(id: string): string | undefined {
  return ARN.exec(id)?.[1];
}
