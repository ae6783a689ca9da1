/** Every rule refuses its own example, a good request breaks none, and each row says where it is known from. */
import { describe, expect, it } from "vitest";
import type { Fields } from "../validators/faults.js";
import { refusalOf } from "./rule.js";
import { brokenRules, refuse, VENDORS } from "./vendors.js";

const RULES = VENDORS.flatMap(({ rules }) => rules);

it("knows at least 120 rules that refuse", () => {
  const refusing = new Set(RULES.filter(({ certainty }) => certainty !== "supposed").map(({ id }) => id));
  expect(refusing.size).toBeGreaterThanOrEqual(120);
});

it("names each rule once, and the source of each", () => {
  expect(new Set(RULES.map(({ id }) => id)).size).toBe(RULES.length);
  for (const { id, source, date } of RULES) {
    const isThread = /^[\w.-]+\/[\w.-]+#\d+$/.test(source);
    expect(isThread || /^[\w-]+(\.[\w-]+)+\/\S|^[\w-]+\/[\w.-]+, /.test(source), `${id}: ${source}`).toBe(true);
    expect(date, id).toMatch(/^20\d\d-(0[1-9]|1[0-2])$/);
  }
});

describe.each(VENDORS.map((vendor) => [vendor.name, vendor] as const))("%s", (_name, vendor) => {
  it("accepts a good request", () => {
    expect(brokenRules(vendor, vendor.good, vendor.model)).toEqual([]);
  });

  it.each(vendor.rules.map((rule) => [rule.id, rule] as const))("%s", (id, rule) => {
    const body: Fields = { ...vendor.good, ...rule.example };
    const finding = rule.find(vendor.read(body, String(body["model"] ?? vendor.model)));
    const broken = finding && refusalOf(rule, finding);
    expect(broken, "the example breaks the rule").toBeDefined();
    expect(broken?.words).not.toMatch(/\{\w+\}/);
    if (broken) expect(JSON.stringify(vendor.error(broken))).toContain(JSON.stringify(broken.words).slice(1, -1));
    if (rule.certainty === "supposed") expect(refuse(vendor, body, vendor.model)?.rule.id).not.toBe(id);
  });
});
