/** Two web servers get the same approvals at once, thousands of times: one of them runs each call. */
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { Agent, type AgentMessage } from "pi-agent";
import { answerRequests, approvals } from "pi-agent/approvals";
import { expect, test } from "vitest";
import { DIES_WITH_PARENT } from "../../../test/support/child-flags.js";
import { noRedis, startRedis } from "../../../test/support/database-servers.js";
import { call, MODEL, response, scripted } from "./scripted-stream.js";
import { tool } from "./scripted-tool.js";

const SOURCES = resolve(import.meta.dirname, "../../../scripts/resolve-sources.ts");
const CHILD = join(import.meta.dirname, "claim-race-child.ts");
const SECRET = "0123456789abcdef0123456789abcdef";
const PAGES = 3000;

/** A page with a signed and approved call. */
async function createPage(index: number): Promise<AgentMessage[]> {
  const agent = new Agent({
    sessionId: `chat-${index}`,
    initialState: { model: MODEL, tools: [tool("pay")] },
    middleware: [approvals({ pause: true, secret: SECRET })],
    streamFn: scripted(response([call("c", "pay")])).streamFn,
  });
  await agent.prompt("Pay.");
  return answerRequests(agent.state.messages, [{ id: "c", approved: true }]);
}

test("one of two processes runs an approved call", { timeout: 600_000 }, async ({ skip }) => {
  if (noRedis) skip(noRedis);
  const redis = await startRedis();
  const folder = await mkdtemp(join(tmpdir(), "claim-race-"));
  try {
    const file = join(folder, "pages.json");
    await writeFile(
      file,
      JSON.stringify(await Promise.all(Array.from({ length: PAGES }, (_, index) => createPage(index)))),
    );
    const words = [...DIES_WITH_PARENT, "--import", SOURCES, CHILD, redis.socket, file, SECRET, "ready"];
    const servers = [1, 2].map(() => spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] }));
    const outputs = await Promise.all(servers.map(({ stdout }) => readAll(stdout)));
    const [one = [], other = []] = outputs.map((output) => JSON.parse(output) as number[]);
    expect([...one, ...other].sort((first, second) => first - second)).toEqual([...Array(PAGES).keys()]);
    // Each server got every page, so each call that ran once was refused once.
  } finally {
    await redis.stop();
    await rm(folder, { recursive: true });
  }
});
