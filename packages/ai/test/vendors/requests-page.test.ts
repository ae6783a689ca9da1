import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { CHANGES } from "./changes.js";
import { buildRequestsPage, vendorsBySubject } from "./requests-page.js";

const ROOT = resolve(import.meta.dirname, "../../../..");

it("docs/requests.md is current (npm run task docs:requests)", () => {
  expect(readFileSync(`${ROOT}/docs/requests.md`, "utf8")).toBe(buildRequestsPage());
});

it("says of every rule once what is sent instead", () => {
  const named = CHANGES.flatMap(({ subjects }) => subjects);
  expect([...named].sort()).toEqual([...vendorsBySubject().keys()].sort());
});

it("names notes that exist", () => {
  const pages = ["provider-content", "providers"].map((page) => readFileSync(`${ROOT}/docs/${page}.md`, "utf8")).join();
  for (const name of CHANGES.flatMap((change) => change.notes)) expect(pages).toContain(`\`${name}\``);
});
