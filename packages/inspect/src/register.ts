/**
 * Shows the requests of `pi-ai`, and the spans of `createChannelApi` of `pi-ai/otel`, on a page:
 * `node --import pi-inspect/register app.js`. The address is written to standard error.
 *
 * @module pi-inspect/register
 */
import { acquireInspector } from "./inspector.js";
import { watchChannels } from "./live/channel-runs.js";

const { store, server } = acquireInspector();
watchChannels(store);
server.then(
  ({ url }) => process.stderr.write(`pi-inspect: ${url}\n`),
  (error: unknown) => process.stderr.write(`pi-inspect could not start: ${String(error)}\n`),
);
