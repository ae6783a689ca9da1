import { afterEach, expect, test, vi } from "vitest";
import { adviseNetwork } from "./network-advice.js";

const URL_OF_API = "https://api.test/v1/messages?key=secret";

afterEach(() => vi.unstubAllEnvs());

test.each([
  ["getaddrinfo ENOTFOUND api.test", ""],
  ["other side closed", " (asked: https://api.test)"],
  [
    "SSL routines:tls_validate_record_header:wrong version number",
    " (asked: https://api.test; the server has no TLS: use http://)",
  ],
])("a failed connection: %s", (text, advice) => expect(adviseNetwork(text, URL_OF_API)).toBe(advice));

test("a proxy that Node.js does not use", () => {
  vi.stubEnv("https_proxy", "http://proxy.test:3128");
  const text = "connect ETIMEDOUT api.test";
  expect(adviseNetwork(text, URL_OF_API)).toBe(" (HTTPS_PROXY has no effect without NODE_USE_ENV_PROXY=1)");
  expect(adviseNetwork(text, "http://api.test/")).toBe("");
  vi.stubEnv("NODE_USE_ENV_PROXY", "1");
  expect(adviseNetwork(text, URL_OF_API)).toBe("");
});
