/** Markdown tables. Their columns are not aligned, so that a longer cell changes one line. */

export function formatTable(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows;
  const line = (row: readonly string[]): string => `| ${head.map((_, column) => row[column] ?? "").join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...body.map(line)].join("\n");
}

/** Three significant digits, with separators for thousands. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return "-";
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-US");
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

/** Replaces the text between two markers of a page. */
export function replaceBetween(page: string, begin: string, end: string, text: string): string {
  const from = page.indexOf(begin);
  const to = page.indexOf(end, from);
  if (from === -1 || to === -1) throw new Error(`The page has no place for a table: ${begin}`);
  return `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`;
}
