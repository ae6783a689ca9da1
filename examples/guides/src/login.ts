/** Logs a user in at the first start. Later starts use and refresh the stored credentials. */
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { Agent } from "pi-agent";
import { getModel } from "pi-ai";
import {
  createOAuthProvider,
  FileCredentialStore,
  getOAuthApiKey,
  loginOAuth,
  registerOAuthProvider,
} from "pi-ai/oauth";

registerOAuthProvider(
  createOAuthProvider({
    id: "acme",
    name: "Acme",
    issuer: process.env["ACME_ISSUER"] ?? "https://login.acme.example",
    clientId: process.env["ACME_CLIENT_ID"] ?? "my-product",
    scope: "openid offline_access",
  }),
);
const store = new FileCredentialStore(process.env["CREDENTIALS_FILE"] ?? join(homedir(), ".my-product/auth.json"));

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  return terminal.question(`${question}: `).finally(() => terminal.close());
}

if (!(await store.read("acme"))) {
  const onAuth = ({ url }: { url: string }): void => console.log(`Open ${url}`);
  await loginOAuth("acme", { onAuth, onPrompt: ({ message }) => ask(message) }, store);
  console.log("Logged in");
}

const agent = new Agent({
  initialState: {
    model: { ...getModel("openai", "gpt-6.2-sol"), provider: "acme", baseUrl: "https://api.acme.example/v1" },
  },
  // Before each request: a token that expires during a long run is refreshed.
  getApiKey: async (provider) => (await getOAuthApiKey(provider, store))?.apiKey,
});
await agent.prompt("Name three rivers in Norway.");
console.log(agent.state.errorMessage ?? agent.state.messages.at(-1));
