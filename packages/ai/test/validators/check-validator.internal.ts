/** Tests a validator: it accepts a plain request and reports everything that its api rejects. */
import { describe, expect, test } from "vitest";
import { buildBody, TOOLS } from "../handoff/check-handoff.internal.js";
import { IMAGE, user } from "../handoff/conversations.js";
import { PARTIES } from "../handoff/parties.js";
import type { ApiTests } from "../protocols/api-tests.js";
import { type Fields, fieldsOf } from "./faults.js";
import { findFaults } from "./validators.js";

/** The name of the fault, a conversation in the api's wire format with this fault, and the expected report. */
export type BadConversation = [name: string, conversation: Fields[], complaint: RegExp];

/** @param bad default: none, for an api that shares the rules of another */
export function checkValidator({ api }: ApiTests, bad: readonly BadConversation[] = []): void {
  const party = PARTIES.find((each) => each.api === api);
  if (!party) throw new Error(`No party has the api ${api}`);

  describe(`the validator of ${api}`, () => {
    test("accepts a plain request", () => {
      const messages = [user([{ type: "text", text: "Hi" }, IMAGE])];
      const body = buildBody(party, party.model, messages, { tools: TOOLS, options: {} });
      expect(findFaults(api, body, party.model)).toEqual([]);
    });

    test.each(bad)("rejects %s", (_name, conversation, complaint) => {
      const good = fieldsOf(buildBody(party, party.model, [user("Hi")], { tools: [], options: {} }));
      const field = ["messages", "input", "contents"].find((name) => name in good) ?? "";
      const faults = findFaults(api, { ...good, [field]: conversation }, party.model);
      expect(faults.join("\n")).toMatch(complaint);
    });
  });
}

/** A message with one word. */
export function say(role: string): Fields {
  return { role, content: role === "user" ? "Hi" : "Hello" };
}
