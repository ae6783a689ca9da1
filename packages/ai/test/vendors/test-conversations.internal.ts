/** Tests that a vendor accepts what the library sends, or that the library says why it sends nothing. */
import { expect, it } from "vitest";
import { budget } from "../../../../test/support/suite.js";
import { checkConversations } from "./check-conversations.internal.js";
import { vendorNamed } from "./vendors.js";

/** A thousand takes two to six seconds of processor time: in parts, none is near the limit of a test on a busy machine. */
const COUNT = 250;
type Parts = Parameters<typeof budget>[0];

const PARTS: Parts = { quick: 4, all: 40 };
/** A host of an api whose vendor has all parts. */
export const HOST: Parts = { quick: 1, all: 8 };

export function testConversations(name: string, parts: Parts = PARTS): void {
  it.each(Array.from({ length: budget(parts) }, (_, part) => part * COUNT))(
    `sends ${name} no request that it refuses, changes none without saying so, and never changes the conversation: from %i`,
    async (from) => {
      const { problems, requests, stopped } = await checkConversations(vendorNamed(name), COUNT, { from });
      expect(problems.slice(0, 5), `${problems.length} of ${requests} requests`).toEqual([]);
      // Not everything may be answered with an error.
      expect(stopped).toBeLessThan(requests / 4);
    },
  );
}
