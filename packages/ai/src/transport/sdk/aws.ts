/**
 * Sends through `@aws-sdk/client-bedrock-runtime`, loaded by the first request. The SDK resolves the credentials and the
 * URL, and signs the request. The body is sent unchanged, so that fields that the SDK does not know are kept. The request
 * goes through our own `fetch` (HTTP/1.1), so that errors are typed and our own decoder reads the response.
 */
import { ConfigError } from "../../errors.js";
import { collectSecrets } from "../../utils/redact.js";
import type { SendContext, WireRequest } from "../wire-request.js";
import { createSdkLoader } from "./http-sdk.js";

const loadAws = createSdkLoader("@aws-sdk/client-bedrock-runtime", () => import("../../vendor/aws.js"));

/** An AWS key pair. */
export interface AwsCredentials {
  /** The access key id. */
  accessKeyId: string;
  /** The secret access key. */
  secretAccessKey: string;
  /** The session token of temporary credentials. */
  sessionToken?: string;
}

/** The settings of a client of `@aws-sdk/client-bedrock-runtime` that are used. */
export interface BedrockClient {
  /** As the SDK resolved it: the region, the endpoint, and what signs the requests. */
  readonly config: object;
}

export interface AwsSettings {
  /** Undefined: the SDK reads it from the profile. */
  region: string | undefined;
  profile: string | undefined;
  /** Undefined: Amazon's endpoint in the region. */
  endpoint: string | undefined;
  /** Sent instead of a signature. */
  bearerToken?: string | undefined;
  /** Undefined: the SDK resolves the credentials. */
  credentials?: AwsCredentials | (() => Promise<AwsCredentials>) | undefined;
  modelId: string;
  /** Overrides all of the above. */
  client?: BedrockClient | undefined;
  /** The credentials are placeholders, and the caller's headers may replace the signature. */
  isSignedLater?: boolean | undefined;
}

/** The fields that are read from a request signed by the SDK. */
interface SignedRequest {
  protocol: string;
  hostname: string;
  port?: number | undefined;
  path: string;
  headers: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
}

/** Sends the request's headers and body. The SDK builds the URL from the settings and the request's operation. */
export async function sendConverseStream(
  request: WireRequest,
  settings: AwsSettings,
  io: SendContext,
): Promise<Response> {
  const { BedrockRuntimeClient, ConverseStreamCommand } = await loadAws(io);
  let outcome: { response: Response } | { error: unknown } | undefined;
  const handle = async (signed: SignedRequest): Promise<{ response: object }> => {
    try {
      outcome = { response: await post(signed, request.headers, io) };
    } catch (error) {
      outcome = { error };
      throw error;
    }
    return { response: createStandIn() };
  };
  const client = new BedrockRuntimeClient({ ...toClientConfig(settings), requestHandler: { handle } as never }); // the only method of a handler that is called
  const body = JSON.stringify(request.body);
  // Between the SDK's own serializer and the steps that measure and sign.
  client.middlewareStack.add(
    (next) => (step) => next({ ...step, request: replaceParts(step.request, request, body) }),
    {
      step: "build",
      priority: "high",
    },
  );
  try {
    const command = new ConverseStreamCommand({ modelId: settings.modelId, messages: [] });
    await client.send(command, { abortSignal: io.signal });
  } catch (error) {
    if (!outcome) throw explain(error);
  } finally {
    client.destroy();
  }
  if (!outcome) throw new ConfigError("The AWS SDK sent no request");
  if ("error" in outcome) throw outcome.error;
  return outcome.response;
}

/** The fields of a resolved configuration that say where a request goes and who sends it. Later versions of the SDK keep them. */
const PLACE_AND_IDENTITY = ["region", "endpoint", "credentials", "token", "authSchemePreference"] as const;

function toClientConfig({ client, ...settings }: AwsSettings): object {
  const common = { maxAttempts: 1, defaultsMode: "standard", logger: SILENT };
  if (!client) return { ...ownConfig(settings), ...common };
  const config: Record<string, unknown> = { ...client.config };
  const given = PLACE_AND_IDENTITY.flatMap((name) => (config[name] === undefined ? [] : [[name, config[name]]]));
  return { ...Object.fromEntries(given), ...common };
}

function ownConfig({ region, profile, endpoint, bearerToken, credentials }: AwsSettings): object {
  return {
    ...(region === undefined ? {} : { region }),
    ...(profile === undefined ? {} : { profile }),
    ...(endpoint === undefined ? {} : { endpoint }),
    // Offer one scheme only, because the SDK would choose by its environment.
    ...(bearerToken
      ? { token: { token: bearerToken }, authSchemePreference: ["httpBearerAuth"] }
      : { authSchemePreference: ["sigv4"], ...(credentials === undefined ? {} : { credentials }) }),
  };
}

/**
 * Sets the body and the operation, which is the last part of the path. Changes the request in place, because the SDK checks
 * its class.
 */
function replaceParts(request: unknown, { path }: WireRequest, body: string): unknown {
  const target: { path?: unknown } = Object(request);
  const operation = path.slice(path.lastIndexOf("/") + 1);
  return Object.assign(target, { body, path: String(target.path).replace(/[^/]*$/, operation) });
}

/** Without a logger, the SDK writes warnings to the console. */
const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/** Adds the caller's headers last and unsigned, because a gateway on the way may need its own. */
async function post(
  signed: SignedRequest,
  extra: Record<string, string | null>,
  { fetch, signal, hide }: SendContext,
): Promise<Response> {
  const headers = new Headers(signed.headers);
  for (const secret of [...collectSecrets([], signed.headers), ...signatureParts(headers.get("authorization"))]) {
    hide(secret);
  }
  for (const [name, value] of Object.entries(extra)) {
    if (value === null) headers.delete(name);
    else headers.set(name, value);
  }
  // `fetch` sets these to the same values.
  headers.delete("host");
  headers.delete("content-length");
  const { protocol, hostname, port, path, body } = signed;
  const url = `${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}`;
  return fetch(url, { method: "POST", headers, signal, ...(body === undefined ? {} : { body }) });
}

/** Returns the access key id and the signature, which a response may quote without the rest of the header. */
function signatureParts(authorization: string | null): string[] {
  return [...(authorization ?? "").matchAll(/(?:Credential|Signature)=([^/,\s]+)/g)].map(([, part]) => part ?? "");
}

/** Creates a successful, empty response for the SDK. Our own decoder reads the real one. */
function createStandIn(): object {
  const body = new ReadableStream({ start: (controller) => controller.close() });
  return { statusCode: 200, headers: { "content-type": "application/vnd.amazon.eventstream" }, body };
}

/** Converts failures that occur before the request is sent to errors that name the fix. */
function explain(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (/^(Credentials|Token)Provider/.test(error.name) || /credential/i.test(error.message)) {
    return new ConfigError(
      `No AWS credentials (${error.message}). Set AWS_PROFILE, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_BEARER_TOKEN_BEDROCK`,
      { kind: "auth_missing", cause: error },
    );
  }
  if (/region is missing/i.test(error.message)) {
    return new ConfigError("No AWS region: set AWS_REGION, or a region in the profile", { cause: error });
  }
  return error;
}
