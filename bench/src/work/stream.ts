/** One stream, after one that warms up. */
import { bodyPath } from "../bodies.ts";
import { floorStream } from "../clients/floor.ts";
import { cpuTime, type Work } from "./measured.ts";

export const run: Work = async (side, { body, variant }, serverUrl) => {
  if (!body) throw new Error("a body is needed");
  const url = serverUrl + bodyPath(body);
  const once = side === "floor" ? () => floorOnce(url, body) : await oursOnce(url, body, variant === "read");
  await once();
  return cpuTime(once);
};

async function floorOnce(url: string, body: NonNullable<Parameters<Work>[1]["body"]>): Promise<void> {
  let length = 0;
  const { text } = await floorStream(url, body.protocol, (delta) => {
    length += delta.length;
  });
  if (body.kind === "arguments") JSON.parse(text);
  if (length === 0) throw new Error("nothing came");
}

async function oursOnce(
  url: string,
  body: NonNullable<Parameters<Work>[1]["body"]>,
  read: boolean,
): Promise<() => Promise<void>> {
  const { ourStream } = await import("../clients/ours.ts");
  return async () => {
    let length = 0;
    await ourStream(url, body.protocol, (event) => {
      length += event.delta.length;
      if (!read || event.type !== "toolcall_delta") return;
      const block = event.partial.content[0];
      if (block?.type === "toolCall") length += String(block.arguments["path"] ?? "").length;
    });
    if (length === 0) throw new Error("nothing came");
  };
}
