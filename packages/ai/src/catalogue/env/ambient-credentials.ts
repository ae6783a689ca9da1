/**
 * Credentials that an SDK finds by itself. A request does not ask for them: its adapter needs no key, and the SDK says what is
 * missing.
 */
import type { Provider } from "../../types/model.js";
import { ownValue } from "../../utils/own-value.js";
import type { Environment } from "./environment.js";

const CHECKS: Readonly<Record<Provider, (environment: Environment) => boolean>> = {
  "amazon-bedrock": hasAwsCredentials,
  "google-vertex": hasGoogleCredentials,
};

/** Whether the SDK of the provider would find credentials. */
export function hasAmbientCredentials(provider: Provider, environment: Environment): boolean {
  const check = ownValue(CHECKS, provider);
  return check?.(environment) ?? false;
}

/** Each of these sets is enough for the AWS credential chain (docs.aws.amazon.com, "AWS SDKs: environment variables", 2026-11). */
const AWS_VARIABLES: readonly (readonly string[])[] = [
  ["AWS_PROFILE"],
  ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"],
  ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"],
  ["AWS_CONTAINER_CREDENTIALS_FULL_URI"],
  ["AWS_WEB_IDENTITY_TOKEN_FILE"],
];

function hasAwsCredentials({ get }: Environment): boolean {
  return AWS_VARIABLES.some((names) => names.every((name) => get(name) !== undefined));
}

function hasGoogleCredentials(environment: Environment): boolean {
  const { get } = environment;
  const project = get("GOOGLE_CLOUD_PROJECT") ?? get("GCLOUD_PROJECT");
  if (project === undefined || get("GOOGLE_CLOUD_LOCATION") === undefined) return false;
  const path = googleCredentialsPath(environment);
  return path !== undefined && environment.fileExists(path);
}

/**
 * Returns the path of the application default credentials
 * (cloud.google.com, "How Application Default Credentials works", 2026-11).
 */
function googleCredentialsPath({ get }: Environment): string | undefined {
  const explicit = get("GOOGLE_APPLICATION_CREDENTIALS");
  if (explicit !== undefined) return explicit;
  const file = "gcloud/application_default_credentials.json";
  const applicationData = get("APPDATA");
  if (applicationData !== undefined) return `${applicationData}/${file}`;
  const home = get("HOME") ?? get("USERPROFILE");
  return home === undefined ? undefined : `${home}/.config/${file}`;
}
