/** Prints the key of stored credentials. Starts when a line arrives on standard input. */
import { once } from "node:events";
import { createOAuthProvider, FileCredentialStore, getOAuthApiKey, registerOAuthProvider } from "pi-ai/oauth";

const [file = "", issuer = "", clientId = ""] = process.argv.slice(2);
registerOAuthProvider(createOAuthProvider({ id: "acme", name: "Acme", issuer, clientId }));
const store = new FileCredentialStore(file);
process.stdout.write("ready\n");
await once(process.stdin, "data");
const key = await getOAuthApiKey("acme", store);
process.stdout.write(`${key?.apiKey}\n`);
process.exit();
