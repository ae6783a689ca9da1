/** Tests that a vendor accepts what the library sends, or that the library says why it sends nothing. */
import { expect, it } from "vitest";
import { budget } from "../../../../test/support/suite.js";
import { checkConversations } from "./check-conversations.internal.js";
import { vendorNamed } from "./vendors.js";

/** The quick suite has less than two seconds of processor time for each vendor. */
const COUNT = budget({ quick: 200, all: 500 });

export function testConversations(name: string): void {
  it(`sends ${name} no request that it refuses, changes none without saying so, and never changes the conversation`, async () => {
    const { problems, requests, stopped } = await checkConversations(vendorNamed(name), COUNT);
    expect(problems.slice(0, 5), `${problems.length} of ${requests} requests`).toEqual([]);
    // Not everything may be answered with an error.
    expect(stopped).toBeLessThan(requests / 4);
  });
}
