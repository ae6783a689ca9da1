/**
 * The fault matrix: every fault that a network, a provider or a model commits, on every protocol, through the public API
 * and the real SDKs. A test file for each protocol calls this, so that they run side by side.
 */
import { describe, it } from "vitest";
import { isFullSuite } from "../../../../test/support/suite.js";
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

/** Rows with much work, for the quick suite to try on one api of each framing only. */
const HEAVY: ReadonlySet<number> = new Set([14, 21, 22, 96, 97, 115, 120, 174, 175, 176, 177, 178]);
const HEAVY_APIS = /anthropic|bedrock|websocket/;
/** Hosts of an api that is tried itself: the quick suite gives them every fourth row. */
const SECOND_HOSTS = /azure|vertex|gemini-cli|codex-responses$/;

function isInSuite(name: string, number: number): boolean {
  if (isFullSuite) return true;
  return HEAVY.has(number) ? HEAVY_APIS.test(name) : !SECOND_HOSTS.test(name) || number % 4 === 1;
}

export function runFaultMatrix(wire: FaultWireFormat): void {
  const subject = new FaultSubject(wire, useFaultServer());
  for (const [group, rows] of Object.entries(GROUPS)) {
    describe(`${subject.name}: ${group}`, () => {
      for (const { number, name, run, applies } of rows) {
        const options = { concurrent: WAITING.has(number) };
        if (isInSuite(subject.name, number) && (applies?.(subject) ?? true))
          it(`#${number} ${name}`, options, () => run(subject));
      }
    });
  }
}
