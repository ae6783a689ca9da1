/** Sends to Vertex AI with application default credentials, which `@google/genai` resolves with `google-auth-library`. */
import { ConfigError, NetworkError, PiError, ProviderError } from "../../errors.js";
import type { SendContext, WireRequest } from "../wire-request.js";
import { type GoogleClient, sendThroughClient } from "./google.js";
import { createSdkLoader } from "./http-sdk.js";

const loadGoogle = createSdkLoader("@google/genai", () => import("../../vendor/google-node.js"));

export interface GoogleCredentialOptions {
  project: string;
  location: string;
  /** The credentials file that the environment names, if any. Another file needs another client. */
  credentialsFile: string | undefined;
}

/** Shared by all requests, because it caches the access token. Created by the first request. */
let shared: { credentialsFile: string | undefined; client: GoogleClient } | undefined;

export async function sendWithGoogleCredentials(
  request: WireRequest,
  io: SendContext,
  options: GoogleCredentialOptions,
): Promise<Response> {
  const client = await clientFor(options, io);
  try {
    return await sendThroughClient(client, request, io);
  } catch (error) {
    throw PiError.is(error) ? error : toCredentialError(error);
  }
}

async function clientFor(
  { project, location, credentialsFile }: GoogleCredentialOptions,
  io: SendContext,
): Promise<GoogleClient> {
  const { GoogleGenAI } = await loadGoogle(io);
  if (!shared || shared.credentialsFile !== credentialsFile) {
    // With a project id, the library does not look it up.
    const googleAuthOptions = { projectId: project };
    shared = { credentialsFile, client: new GoogleGenAI({ vertexai: true, project, location, googleAuthOptions }) };
  }
  return shared.client;
}

/** Converts an error of the credential lookup or of the token exchange. */
function toCredentialError(error: unknown): PiError {
  const { message, status, code } = describe(error);
  const text = `Google application default credentials: ${message}`;
  if (status !== undefined)
    return new ProviderError({ kind: status >= 500 ? "server" : "auth", message: text, status });
  if (code !== undefined) return new NetworkError(text, { cause: error });
  return new ConfigError(text, { kind: "auth_missing", cause: error });
}

interface CredentialFailure {
  message: string;
  /** The status of the token server's response. */
  status: number | undefined;
  /** The code of a failed connection, such as `ENOTFOUND`. */
  code: string | undefined;
}

function describe(error: unknown): CredentialFailure {
  if (!(error instanceof Error)) return { message: String(error), status: undefined, code: undefined };
  const status = "status" in error && typeof error.status === "number" ? error.status : undefined;
  const code =
    "code" in error && typeof error.code === "string" && /^(E[A-Z]+|UND_)/.test(error.code) ? error.code : undefined;
  return { message: error.message, status, code: code === "ENOENT" || code === "EACCES" ? undefined : code };
}
