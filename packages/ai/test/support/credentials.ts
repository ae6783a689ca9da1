/** The credentials and the environment of requests in tests. */

/** Invalid credentials, long enough not to appear in a response by chance. */
export const CANARIES = {
  apiKey: "wire-test-canary-key-8c1d52e7",
  awsAccessKeyId: "AKIAWIRETESTCANARY8C",
  awsSecretAccessKey: "wireTestCanarySecret8c1d52e7",
} as const;

/** The environment of a request: no account of this machine, no HTTP proxy. `undefined` removes a variable. */
export const CALL_ENVIRONMENT: Readonly<Record<string, string | undefined>> = {
  AWS_ACCESS_KEY_ID: CANARIES.awsAccessKeyId,
  AWS_SECRET_ACCESS_KEY: CANARIES.awsSecretAccessKey,
  AWS_REGION: "us-east-1",
  AWS_EC2_METADATA_DISABLED: "true",
  AWS_CONFIG_FILE: "/dev/null",
  AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
  AWS_SESSION_TOKEN: undefined,
  AWS_PROFILE: undefined,
  AWS_BEARER_TOKEN_BEDROCK: undefined,
  HTTP_PROXY: undefined,
  HTTPS_PROXY: undefined,
  ALL_PROXY: undefined,
  http_proxy: undefined,
  https_proxy: undefined,
  all_proxy: undefined,
};
