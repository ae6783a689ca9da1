import { hasSubscribers } from "node:diagnostics_channel";
import { expect, it } from "vitest";
import { RunStore } from "../record/run-store.js";
import { startServer } from "../server/start-server.js";
import { recordRuns } from "./recorder.js";

const CHANNELS = ["start", "update", "end"].map((stage) => `pi.request.${stage}`);

/** Counts listeners and servers. Other tests of the same process may have left some, so only the difference matters. */
function count(): unknown {
  const servers = process.getActiveResourcesInfo().filter((name) => name.startsWith("TCP")).length;
  return { channels: CHANNELS.map(hasSubscribers), servers };
}

it("leaves no listener and no server behind after an inspector was closed", async () => {
  const before = count();
  const store = new RunStore();
  const { stop } = recordRuns(store);
  const server = await startServer({ store, assets: new Map(), keepAlive: false });
  expect(CHANNELS.map(hasSubscribers)).toEqual([true, true, true]);
  stop();
  await server.close();
  expect(count()).toEqual(before);
});
