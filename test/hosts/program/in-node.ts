/** The program where there are files and Node's modules: also a session log, and credentials that a vendor's SDK finds. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSessionLog, loadSession } from "pi-agent/session";
import { type Api, complete, getModel, type Model } from "pi-ai";
import { createAgent, describeTranscript, runConversation } from "./conversation.js";

export async function runInNode(vendor: string): Promise<Record<string, unknown>> {
  const folder = await mkdtemp(join(tmpdir(), "host-"));
  try {
    return {
      ...(await runConversation(vendor)),
      session: await keepSession(vendor, join(folder, "session.jsonl")),
      bedrock: await askBedrock(vendor),
      vertex: await askVertex(vendor, folder),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function keepSession(vendor: string, file: string): Promise<string[]> {
  const agent = createAgent({ ...getModel("anthropic", "claude-sonnet-4-6"), baseUrl: vendor });
  const log = await createSessionLog(file);
  agent.middleware = [log];
  await agent.prompt("WEATHER");
  await log.close();
  return describeTranscript((await loadSession(file)).messages);
}

async function ask(model: Model<Api>): Promise<string> {
  const context = { messages: [{ role: "user" as const, content: "HELLO", timestamp: 1 }] };
  const { content, errorMessage } = await complete(model, context, { maxRetries: 0 });
  const [block] = content;
  return errorMessage ?? (block?.type === "text" ? block.text : "");
}

/** Signed by the vendor's SDK, with credentials from the environment. */
async function askBedrock(vendor: string): Promise<string> {
  process.env["AWS_ACCESS_KEY_ID"] = "AKIDEXAMPLE";
  process.env["AWS_SECRET_ACCESS_KEY"] = "a-secret-of-this-test";
  process.env["AWS_REGION"] = "us-east-1";
  return ask({ ...getModel("amazon-bedrock", "amazon.nova-lite-v1:0"), baseUrl: vendor });
}

/** With application default credentials (of an identity pool), which the vendor's SDK exchanges for a token. */
async function askVertex(vendor: string, folder: string): Promise<string> {
  const file = join(folder, "credentials.json");
  await writeFile(join(folder, "subject-token"), "a token of another issuer");
  const credentials = {
    type: "external_account",
    audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/test",
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    token_url: `${vendor}/token`,
    credential_source: { file: join(folder, "subject-token") },
  };
  await writeFile(file, JSON.stringify(credentials));
  process.env["GOOGLE_APPLICATION_CREDENTIALS"] = file;
  process.env["GOOGLE_CLOUD_PROJECT"] = "test-project";
  process.env["GOOGLE_CLOUD_LOCATION"] = "us-central1";
  return ask({ ...getModel("google-vertex", "gemini-2.5-flash"), baseUrl: vendor });
}
