/**
 * The fault matrix: every fault that a network, a provider or a model commits, on every protocol, through the public API
 * and the real SDKs. A test file for each protocol calls this, so that they run side by side.
 */
import { describe, it } from "vitest";
import { abortRows } from "./abort-rows.js";
import type { FaultRow } from "./fault-row.js";
import { FaultSubject } from "./fault-subject.js";
import type { FaultWireFormat } from "./fault-wire-format.js";
import { hostileRows } from "./hostile-rows.js";
import { leakRows } from "./leak-rows.js";
import { protocolRows } from "./protocol-rows.js";
import { transportRows } from "./transport-rows.js";
import { useFaultServer } from "./use-fault-server.js";

const GROUPS: Readonly<Record<string, readonly FaultRow[]>> = {
  Transport: transportRows,
  Protocol: protocolRows,
  "Hostile data": hostileRows,
  Abort: abortRows,
  Leaks: leakRows,
};

/** Rows that mostly wait: they run beside each other. */
const WAITING: ReadonlySet<number> = new Set([10, 40, 41, 43, 44, 47, 109, 110, 113, 114, 116, 117, 118, 119]);

export function runFaultMatrix(wire: FaultWireFormat): void {
  const subject = new FaultSubject(wire, useFaultServer());
  for (const [group, rows] of Object.entries(GROUPS)) {
    describe(`${subject.name}: ${group}`, () => {
      for (const { number, name, run, applies } of rows) {
        const options = { concurrent: WAITING.has(number) };
        if (applies?.(subject) ?? true) it(`#${number} ${name}`, options, () => run(subject));
      }
    });
  }
}
