/** Writes docs/requests.md from the rules of the vendors. */
import { CHANGES, type Change } from "./changes.js";
import { VENDORS } from "./vendors.js";

/** A vendor's rules at another door of it are no further rules. */
const OWN = VENDORS.filter(({ rulesOf }) => rulesOf === undefined);

const HEAD = `# What is changed in a request

<!-- Written from the rules of test/vendors (npm run task docs:requests); changes here are lost. -->

A tool of an MCP server, a name that a model made up or a picture can make a vendor refuse a request, and then every later one
of the conversation. Such a thing is changed in the request, or is an error before it is sent. The transcript stays as it is.

A program hears of it by \`message.diagnostics\`: each entry has a \`type\`, and \`details\` with what was changed and the source
of the rule. [Notes](provider-content.md#notes) lists their fields. An error before the request has \`error.kind: "config"\`,
and names the field and what to do: [Errors](errors.md). \`onPayload\` sees the request as it is sent.

| Vendors refuse | which | What is sent | Told by |
| --- | --- | --- | --- |
`;

/** The vendors that have rules on each subject. Supposed rules do not count. */
export function vendorsBySubject(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { name, rules } of OWN) {
    for (const { id, certainty } of rules) {
      if (certainty === "supposed") continue;
      const subject = id.slice(id.lastIndexOf("/") + 1);
      found.set(subject, (found.get(subject) ?? new Set()).add(name));
    }
  }
  return found;
}

export function buildRequestsPage(): string {
  const vendors = vendorsBySubject();
  const rows = CHANGES.map((change) => rowOf(change, vendors));
  const rules = OWN.flatMap((vendor) => vendor.rules).filter(({ certainty }) => certainty !== "supposed");
  return `${HEAD}${rows.join("\n")}

The rules are ${rules.length}, each with a source and its date, in \`packages/ai/test/vendors/rules\`: every request of the test suite is read with
those of its vendor. \`npm run task vendors\` sends random conversations to each and prints what came of them.
`;
}

function rowOf({ subjects, refused, sent, notes, fails }: Change, vendors: Map<string, Set<string>>): string {
  const names = OWN.map(({ name }) => name).filter((name) => subjects.some((each) => vendors.get(each)?.has(name)));
  const all = names.length === OWN.length ? "all" : names.join(", ");
  const told = [...notes.map((note) => `\`${note}\``), ...(fails ? ["an error"] : [])].join(", ");
  return `| ${refused} | ${all} | ${sent} | ${told || "-"} |`;
}
