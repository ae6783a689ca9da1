/** Resolves the endpoint and the credentials of a Bedrock request from options, model and environment. */
import { regionOfEndpoint, regionOfModel } from "../../catalogue/compat/index.js";
import { AMBIENT_KEY, type Environment, getEnv, processEnvironment } from "../../catalogue/index.js";
import type { ApiRequest } from "../../driver/index.js";
import type { AwsSettings } from "../../transport/sdk/aws.js";
import type { BedrockOptions } from "./options.js";

const DEFAULT_REGION = "us-east-1";
/** Placeholder credentials for a proxy that signs requests itself. */
const PLACEHOLDER = { accessKeyId: "placeholder", secretAccessKey: "placeholder" };

export function resolveAwsSettings(
  { model, options, apiKey }: Pick<ApiRequest<BedrockOptions>, "model" | "options" | "apiKey">,
  environment: Environment = processEnvironment,
): AwsSettings {
  const env = (name: string): string | undefined => getEnv(name, environment);
  const { profile, credentials, client } = options;
  if (client) return { region: undefined, profile: undefined, endpoint: undefined, modelId: model.id, client };
  const named = options.region ?? regionOfModel(model.id) ?? env("AWS_REGION") ?? env("AWS_DEFAULT_REGION");
  const hasProfile = (profile ?? env("AWS_PROFILE")) !== undefined;
  const standard = regionOfEndpoint(model.baseUrl);
  // A configured region overrides the one in the catalogue's address, which is an example.
  const endpoint = standard === undefined || (!named && !hasProfile) ? model.baseUrl : "";
  // Without a region here, the SDK reads the profile's.
  const region = named ?? (hasProfile ? undefined : (standard ?? DEFAULT_REGION));
  const place = { region, profile, endpoint: endpoint || undefined, modelId: model.id };
  if (env("AWS_BEDROCK_SKIP_AUTH") === "1") return { ...place, credentials: PLACEHOLDER, isSignedLater: true };
  const key = apiKey === "" || apiKey === AMBIENT_KEY ? undefined : apiKey;
  const bearerToken = options.bearerToken ?? key ?? env("AWS_BEARER_TOKEN_BEDROCK");
  return bearerToken ? { ...place, bearerToken } : { ...place, credentials };
}
