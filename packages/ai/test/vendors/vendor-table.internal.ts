/** Prints what came of random conversations with each vendor: `npm run task vendors -- 1000`, or `-- 1000 5000` from the seed 5000. */
import { checkConversations } from "./check-conversations.internal.js";
import { VENDORS } from "./vendors.js";

const count = Number(process.argv[2] ?? 1000);
const from = Number(process.argv[3] ?? 0);
const HEAD = ["vendor", "rules", "requests", "not sent", "refused", "changed", "told"];
const rows: (string | number)[][] = [HEAD];
for (const vendor of VENDORS) {
  const { requests, stopped, refused, changed, told, problems } = await checkConversations(vendor, count, { from });
  const refusing = vendor.rules.filter(({ certainty }) => certainty !== "supposed").length;
  rows.push([vendor.name, refusing, requests, stopped, refused, changed, told]);
  for (const problem of problems.slice(0, 5)) process.stderr.write(`${problem}\n`);
}
for (const row of rows) process.stdout.write(`${row.map((cell) => String(cell).padEnd(17)).join("")}\n`);
