import { expect, test } from "vitest";
import { PiError } from "../../errors.js";
import { createEnvironment } from "./environment.js";
import { httpProxyVariablesFor } from "./http-proxy.js";

const HTTPS = new URL("https://api.example.com/");
const HTTP = new URL("http://api.example.com/");

test.each<[URL, Record<string, string>, object | undefined]>([
  [HTTPS, {}, undefined],
  [HTTPS, { HTTPS_PROXY: "http://p:1" }, { HTTPS_PROXY: "http://p:1" }],
  [HTTPS, { https_proxy: "http://small:1", HTTPS_PROXY: "http://large:1" }, { HTTPS_PROXY: "http://small:1" }],
  [HTTPS, { HTTP_PROXY: "http://p:1" }, undefined],
  [HTTP, { HTTP_PROXY: "http://p:1", HTTPS_PROXY: "http://q:1" }, { HTTP_PROXY: "http://p:1" }],
  [HTTPS, { HTTPS_PROXY: "https://p", no_proxy: "a,b" }, { HTTPS_PROXY: "https://p", NO_PROXY: "a,b" }],
])("%s with %j", (url, variables, expected) => {
  expect(httpProxyVariablesFor(url, createEnvironment(variables))).toEqual(expected);
});

test.each(["socks5://user:hunter2@p:1", "pac+http://hunter2", "hunter2"])("rejects %s without quoting it", (proxy) => {
  const resolve = (): unknown => httpProxyVariablesFor(HTTPS, createEnvironment({ HTTPS_PROXY: proxy }));
  expect(resolve).toThrow(expect.toSatisfy((error) => PiError.is(error) && error.kind === "config"));
  expect(resolve).toThrow("HTTPS_PROXY");
  expect(resolve).not.toThrow("hunter2");
});
