/** What providers read from the environment beside their key: one row for each. */
export interface ProviderSettings {
  /** The name in the table. */
  name: string;
  /** The providers of the catalogue; without any, all of them. */
  providers?: readonly string[];
  variables: string;
}

export const PROVIDER_SETTINGS: readonly ProviderSettings[] = [
  {
    name: "all",
    variables:
      "`PI_CACHE_RETENTION` (`long` changes the default); Node's own `NODE_USE_ENV_PROXY=1` with `HTTPS_PROXY` and `NO_PROXY`",
  },
  {
    name: "`amazon-bedrock`",
    providers: ["amazon-bedrock"],
    variables:
      "`AWS_REGION`, `AWS_DEFAULT_REGION`, and credentials wherever the AWS SDK finds them (keys, profile, role); `HTTPS_PROXY` and `NO_PROXY` in any case",
  },
  {
    name: "`google-vertex`",
    providers: ["google-vertex"],
    variables: "without a key: `GOOGLE_CLOUD_PROJECT`, `GOOGLE_CLOUD_LOCATION`, and application default credentials",
  },
  {
    name: "`azure`",
    providers: ["azure"],
    variables:
      "`AZURE_OPENAI_BASE_URL` or `AZURE_OPENAI_RESOURCE_NAME`; `AZURE_OPENAI_API_VERSION`, `AZURE_OPENAI_DEPLOYMENT_NAME_MAP`",
  },
  {
    name: "Cloudflare",
    providers: ["cloudflare-ai-gateway", "cloudflare-workers-ai"],
    variables: "`CLOUDFLARE_ACCOUNT_ID`, and `CLOUDFLARE_GATEWAY_ID` for the gateway",
  },
];
