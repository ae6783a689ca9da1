/** A chat in a web page: `npm run web-chat`. */
import { randomBytes } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPage } from "./build-page.ts";
import { startChatServer } from "./chat-server.ts";
import { chooseModel } from "./choose-model.ts";

const folder = await mkdtemp(join(tmpdir(), "web-chat-"));
await buildPage(folder);
const { url } = await startChatServer({
  ...chooseModel(process.env["PI_MODEL"]),
  folder,
  token: randomBytes(24).toString("base64url"),
  port: Number(process.env["PORT"] ?? 8080),
  onUsage: ({ message, clientLeft }) => {
    const { totalTokens, cost } = message.usage;
    console.log(
      `${message.model}: ${totalTokens} tokens, $${cost.total.toFixed(4)}${clientLeft ? ", left early" : ""}`,
    );
  },
});
console.log(`Open ${url}`);
