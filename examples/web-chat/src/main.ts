/** A chat in a web page: `npm run web-chat`. */
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPage } from "./build-page.ts";
import { type ChatServerOptions, startChatServer } from "./chat-server.ts";
import { chooseModel } from "./choose-model.ts";

if (process.argv.includes("--help")) {
  console.log("A chat in a web page. PORT is its port, PI_MODEL its model, such as anthropic/claude-sonnet-5-5.");
  process.exit();
}

const folder = await mkdtemp(join(tmpdir(), "web-chat-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
process.on("SIGINT", () => process.exit());
await buildPage(folder);
const options: ChatServerOptions = {
  ...chooseModel(process.env["PI_MODEL"]),
  folder,
  token: randomBytes(24).toString("base64url"),
  onUsage: ({ message, clientLeft, complete, estimate = message.usage }) => {
    const tokens = `${complete ? "" : "about "}${estimate.totalTokens} tokens, $${estimate.cost.total.toFixed(4)}`;
    console.log(`${message.model}: ${tokens}${clientLeft ? ", left early" : ""}`);
  },
};
const requestedPort = process.env["PORT"];
// If no port was requested, use any free one.
const { url } = await startChatServer({ ...options, port: Number(requestedPort ?? 8080) }).catch((error) => {
  if (requestedPort !== undefined || error.code !== "EADDRINUSE") throw error;
  return startChatServer(options);
});
console.log(`Open ${url}`);
