/** Sends to Vertex AI with application default credentials, which `google-auth-library` finds for `@google/genai`. */
import { ConfigError, NetworkError, PiError, ProviderError } from "../errors.js";
import type { SendContext, WireRequest } from "../transport/wire-request.js";
import { type GoogleClient, sendThroughClient } from "./google-client.js";
import { createSdkLoader } from "./load-sdk.js";

const loadGoogle = createSdkLoader("@google/genai", () => import("@google/genai/node"));

export interface GoogleCredentialOptions {
  project: string;
  location: string;
  /** The file that the environment names, if it does: other credentials are another client. */
  credentialsFile: string | undefined;
}

/** Kept over calls, because it keeps the access token; nothing is read before the first call. */
let shared: { credentialsFile: string | undefined; client: GoogleClient } | undefined;

export async function sendWithGoogleCredentials(
  request: WireRequest,
  io: SendContext,
  options: GoogleCredentialOptions,
): Promise<Response> {
  const client = await clientFor(options);
  try {
    return await sendThroughClient(client, request, io);
  } catch (error) {
    throw PiError.is(error) ? error : toCredentialError(error);
  }
}

async function clientFor({ project, location, credentialsFile }: GoogleCredentialOptions): Promise<GoogleClient> {
  const { GoogleGenAI } = await loadGoogle();
  if (!shared || shared.credentialsFile !== credentialsFile) {
    // A project that is known need not be looked up.
    const googleAuthOptions = { projectId: project };
    shared = { credentialsFile, client: new GoogleGenAI({ vertexai: true, project, location, googleAuthOptions }) };
  }
  return shared.client;
}

/** What is no error of ours came from looking for credentials, or from exchanging them for a token. */
export function toCredentialError(error: unknown): PiError {
  const { message, status, code } = describe(error);
  const text = `Google application default credentials: ${message}`;
  if (status !== undefined)
    return new ProviderError({ kind: status >= 500 ? "server" : "auth", message: text, status });
  if (code !== undefined) return new NetworkError(text, { cause: error });
  return new ConfigError(text, { kind: "auth_missing", cause: error });
}

interface CredentialFailure {
  message: string;
  /** Of the answer of the token server. */
  status: number | undefined;
  /** Of a connection that failed, such as `ENOTFOUND`. */
  code: string | undefined;
}

function describe(error: unknown): CredentialFailure {
  if (!(error instanceof Error)) return { message: String(error), status: undefined, code: undefined };
  const status = "status" in error && typeof error.status === "number" ? error.status : undefined;
  const code =
    "code" in error && typeof error.code === "string" && /^(E[A-Z]+|UND_)/.test(error.code) ? error.code : undefined;
  return { message: error.message, status, code: code === "ENOENT" || code === "EACCES" ? undefined : code };
}
