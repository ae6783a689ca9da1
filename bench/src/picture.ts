/** The picture at the top of docs/performance.md and the sentences below it. Both are made from the table of milliseconds. */

interface Bar {
  label: string;
  /** Milliseconds. */
  value: number;
  /** As the table shows it. */
  text: string;
}

interface Row {
  work: string;
  /** The libraries that have a figure, ours first. */
  bars: readonly Bar[];
}

/** The rows of the table that are shown, by position: one for each kind of work. */
const SHOWN = [0, 2, 4, 5, 6];
/** Columns before the libraries: the work, and the floor. */
const LEADING = 2;

const WIDTH = 720;
const LABEL_END = 190;
const BAR_WIDTH = 430;
const BAR_HEIGHT = 13;
const ROW_GAP = 30;
const TOP = 44;
const INK = "#1f2328";

/** @param table the table of milliseconds, in Markdown */
export function describeSummary(table: string): string {
  return readRows(table).map(describeRow).join("\n");
}

function describeRow({ work, bars: [ours, ...others] }: Row): string {
  const sorted = others.toSorted((one, other) => one.value - other.value);
  const [best, worst] = [sorted[0], sorted.at(-1)];
  if (!ours || !best || !worst) return `- **${work}**: ${ours?.text ?? "-"} ms.`;
  const range = best === worst ? show(best) : `${show(best)} to ${show(worst)}`;
  return `- **${work}**: ${ours.text} ms; the others ${range}.`;
}

function show({ text, label }: Bar): string {
  return `${text} (${label})`;
}

/** @param table the table of milliseconds, in Markdown */
export function drawPicture(table: string): string {
  let y = TOP;
  const parts = readRows(table).map((row) => {
    const drawn = drawRow(row, y);
    y += ROW_GAP + row.bars.length * (BAR_HEIGHT + 3);
    return drawn;
  });
  const height = y;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title desc" font-family="system-ui, sans-serif" font-size="11" fill="${INK}">
  <title id="title">Milliseconds of each library</title>
  <desc id="desc">${escapeXml(
    readRows(table)
      .map(describeRow)
      .join(" ")
      .replaceAll(/\*\*|^- /g, ""),
  )}</desc>
  <rect width="${WIDTH}" height="${height}" rx="10" fill="#f6f8fa"/>
  <text x="20" y="24" font-size="13" font-weight="600">Milliseconds, less is better: processor time, and for a new process elapsed time</text>
${parts.join("\n")}
</svg>
`;
}

function drawRow({ work, bars }: Row, y: number): string {
  const most = Math.max(...bars.map(({ value }) => value));
  const lines = bars.map(({ label, value, text }, index) => {
    const top = y + 8 + index * (BAR_HEIGHT + 3);
    const width = Math.max(1, Math.round((value / most) * BAR_WIDTH));
    const base = top + BAR_HEIGHT - 3;
    return `  <text x="${LABEL_END - 8}" y="${base}" text-anchor="end">${escapeXml(label)}</text><rect x="${LABEL_END}" y="${top}" width="${width}" height="${BAR_HEIGHT}" fill="${index === 0 ? "#0969da" : "#8c959f"}"/><text x="${LABEL_END + width + 6}" y="${base}">${text}</text>`;
  });
  return [`  <text x="20" y="${y}" font-weight="600">${escapeXml(work)}</text>`, ...lines].join("\n");
}

function readRows(table: string): Row[] {
  const [head = [], , ...body] = table
    .trim()
    .split("\n")
    .map((line) => line.slice(2, -2).split(" | "));
  return SHOWN.flatMap((index) => {
    const cells = body[index];
    return cells === undefined ? [] : [{ work: cells[0] ?? "", bars: barsOf(head, cells) }];
  });
}

function barsOf(head: readonly string[], cells: readonly string[]): Bar[] {
  const bars = cells.map((text, column) => ({
    label: head[column] ?? "",
    value: Number(text.replaceAll(",", "")),
    text,
  }));
  return bars.slice(LEADING).filter(({ value }) => Number.isFinite(value));
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
