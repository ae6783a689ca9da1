import { expect, test } from "vitest";
import { checkHandoff } from "./handoff/check-handoff.js";
import { PARTIES } from "./handoff/parties.js";

const pairs = PARTIES.flatMap((source) =>
  PARTIES.map((target) => ({ source, target, faults: checkHandoff(source, target) })),
);

test.each(pairs.map(({ source, target, faults }) => [source.model.api, target.model.api, faults] as const))(
  "%s hands over to %s",
  (_source, _target, faults) => {
    expect(faults).toEqual([]);
  },
);

test("every pair of protocols", () => {
  const passed = pairs.filter(({ faults }) => faults.length === 0).length;
  // biome-ignore lint/suspicious/noConsole: this line is what the command is for.
  console.log(`${drawTable()}\n\nhandoff: ${passed} of ${pairs.length} pairs pass`);
  expect(passed).toBe(pairs.length);
});

/** Sources down, targets across: how many rules are broken. */
function drawTable(): string {
  const apis = PARTIES.map((party) => party.model.api);
  const numbers = apis.map((_, index) => String(index + 1).padStart(3));
  const rows = PARTIES.map((source, index) => {
    const cells = pairs.filter((pair) => pair.source === source).map(({ faults }) => faults.length || "ok");
    return `${String(index + 1).padStart(3)} ${source.model.api.padEnd(24)}${cells.map((cell) => String(cell).padStart(5)).join("")}`;
  });
  return [`${"".padEnd(28)}${numbers.map((number) => number.padStart(5)).join("")}`, ...rows].join("\n");
}
