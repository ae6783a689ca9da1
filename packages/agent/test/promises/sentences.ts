/** The sentences of a page, or of the docstrings of a source. */

/** Words with which a sentence promises something. */
const PROMISING =
  /\b(?:never|always|every|each|only|resolves?|rejects?|throws?|waits?|at most|at least|at once|until|before|after|cannot)\b/i;

/** The text on one line, without the stars of a docstring. */
export function inOneLine(text: string): string {
  return text.replace(/\s+(?:\*\s+)?/g, " ").trim();
}

/** The docstrings of a source without their examples. Each tag begins a paragraph. */
function docstringsOf(source: string): string {
  const texts = [...source.matchAll(/\/\*\*([\s\S]*?)\*\//g)].map(([, text = ""]) => text.replace(/^ *\* ?/gm, ""));
  return texts.map((text) => text.replace(/@example[\s\S]*?(?=\n@|$)/g, "").replace(/^@/gm, "\n@")).join("\n\n");
}

/** The sentences that promise something and that none of the given parts touches, each on one line. */
export function findUnknownPromises(file: string, text: string, known: readonly string[]): string[] {
  const prose = file.endsWith(".md") ? text.replace(/^```[\s\S]*?^```/gm, "") : docstringsOf(text);
  // A row of a table and an item of a list are paragraphs of their own.
  const paragraphs = prose.split(/\n\s*\n|\n(?=\||#| *- | *\d+\. )/).map(inOneLine);
  return paragraphs.flatMap((paragraph) => {
    const parts = known.flatMap((part) => {
      const from = paragraph.indexOf(part);
      return from < 0 ? [] : [{ from, to: from + part.length }];
    });
    let end = 0;
    return paragraph.split(/(?<=[.!?:;]\)? )(?=[("`*A-Z])/).filter((sentence) => {
      const start = end;
      end += sentence.length;
      return PROMISING.test(sentence) && !parts.some(({ from, to }) => from < end && to > start);
    });
  });
}
