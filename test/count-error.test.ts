import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readRecordings } from "../bench/src/count-error/recordings.js";
import { isNear, PAGE, PART, tableOfRecordings } from "../bench/src/count-error/tables.js";

const recordings = readRecordings();

test.skipIf(!recordings)(
  "the estimate of tokens is as far off as the documentation says (skipped: set PI_WIRE_DIR to the folder of recordings)",
  () => {
    const [, documented = ""] = (PART.exec(readFileSync(PAGE, "utf8"))?.[0] ?? "").trim().split("\n\n");
    const now = tableOfRecordings(recordings?.measurements ?? []);
    expect(documented).toContain("| Claude ");
    expect(isNear(documented, now), `npm run task count:error -- --write. Now:\n${now}`).toBe(true);
  },
);
