/** One of the web servers of `claim-race.full.test.ts`: gets the same pages as the other, and prints the calls that it has run. */
import { readFileSync } from "node:fs";
import { Redis } from "ioredis";
import { Agent, type AgentMessage } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { createRedisClaim } from "pi-agent/event-store/redis";
import { MODEL, scripted, text } from "./scripted-stream.js";
import { tool } from "./scripted-tool.js";

const [, , socket = "", file = "", secret = "", key = ""] = process.argv;
const pages = JSON.parse(readFileSync(file, "utf8")) as AgentMessage[][];
const client = new Redis({ path: socket });
const claim = createRedisClaim(client);
const ran: number[] = [];

async function post(messages: AgentMessage[], index: number): Promise<void> {
  const pay = tool("pay", async () => {
    ran.push(index);
    return "Paid";
  });
  const agent = new Agent({
    sessionId: `chat-${index}`,
    initialState: { model: MODEL, tools: [pay], messages },
    middleware: [approvals({ pause: true, secret, claim })],
    streamFn: scripted(text("Done.")).streamFn,
  });
  await agent.continue();
}

/** Both servers begin these pages at once, so that none is far ahead on a busy machine. */
async function meet(step: number): Promise<void> {
  await client.incr(`${key}-${step}`);
  while (Number(await client.get(`${key}-${step}`)) < 2) await new Promise((resolve) => setImmediate(resolve));
}

const AT_ONCE = 20;
for (let from = 0; from < pages.length; from += AT_ONCE) {
  await meet(from);
  await Promise.all(pages.slice(from, from + AT_ONCE).map((page, index) => post(page, from + index)));
}
client.disconnect();
process.stdout.write(JSON.stringify(ran));
