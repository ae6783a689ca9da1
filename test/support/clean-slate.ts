/** Runs before each test file. Files share workers, so each one starts with the state of a fresh process. */

import { resetApiProviders } from "pi-ai";
import { afterAll, vi } from "vitest";
import { checkRequests } from "../../packages/ai/test/vendors/check-requests.js";

resetApiProviders();
checkRequests();

afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  resetApiProviders();
});
