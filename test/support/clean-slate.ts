/** Runs before each test file. Files share workers, so each one starts with the state of a fresh process. */
import { afterAll, vi } from "vitest";
import { resetApiProviders } from "../../packages/ai/src/providers/register-builtins.js";

resetApiProviders();

afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  resetApiProviders();
});
