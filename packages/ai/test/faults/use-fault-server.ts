/** The server of a file of fault tests, and dummy keys in the environment. */

import { cleanupSessionResources } from "pi-ai";
import { afterAll, beforeAll, vi } from "vitest";
import { FaultServer } from "../fault-server/fault-server.js";
import { CALL_ENVIRONMENT } from "../support/credentials.js";

/**
 * Starts the server before the tests of this file and stops it after them. The returned value refers to it meanwhile.
 */
export function useFaultServer(): () => FaultServer {
  let server: FaultServer;
  beforeAll(async () => {
    for (const [name, value] of Object.entries(CALL_ENVIRONMENT)) vi.stubEnv(name, value);
    server = await FaultServer.start();
  });
  afterAll(async () => {
    cleanupSessionResources();
    await server.stop();
    vi.unstubAllEnvs();
  });
  return () => server;
}
