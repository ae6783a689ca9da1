/**
 * Preloaded into the program of a guide: a network in which every provider responds, except for a host that a test
 * names, and to requests without a text that a test names. Servers of this machine are real.
 */

import { encodeAwsEvent } from "../../packages/ai/test/support/aws-frames.ts";
import { respondingFetch } from "../readme/responding-fetch.ts";

// biome-ignore lint/style/noProcessEnv: the test that starts the program sets it.
const FAILING = process.env["FAILING_HOST"];

// biome-ignore lint/style/noProcessEnv: as above.
const REQUIRED = process.env["REQUIRED_TEXT"] ?? "";

const BEDROCK = [
  { messageStart: { role: "assistant" } },
  { contentBlockDelta: { contentBlockIndex: 0, delta: { text: "Hello!" } } },
  { contentBlockStop: { contentBlockIndex: 0 } },
  { messageStop: { stopReason: "end_turn" } },
  { metadata: { usage: { inputTokens: 9, outputTokens: 5, totalTokens: 14 } } },
];

// biome-ignore lint/style/noProcessEnv: as above.
const REPLY = process.env["REPLY_TEXT"] ?? "Hello!";

const realFetch = globalThis.fetch;

globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  const { url } = request;
  const { host, hostname, pathname } = new URL(url);
  if (hostname === "127.0.0.1") return realFetch(input, init);
  if (host === FAILING) return new Response("busy", { status: 529 });
  if (!(await request.text()).includes(REQUIRED)) return new Response("incomplete", { status: 400 });
  if (!pathname.endsWith("/converse-stream")) {
    const response = await respondingFetch(url);
    const body = (await response.text()).replaceAll("Hello!", JSON.stringify(REPLY).slice(1, -1));
    return new Response(body, { status: response.status, headers: response.headers });
  }
  const frames = Buffer.concat(BEDROCK.map(encodeAwsEvent));
  return new Response(frames, { headers: { "content-type": "application/vnd.amazon.eventstream" } });
};
