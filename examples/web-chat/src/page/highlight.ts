/** Colours for code: comments, strings, numbers and the words that most languages share. */
import { element } from "./element.ts";

/** Longer code is shown without colours. */
const MAX_LENGTH = 20_000;

const HASH_COMMENTS = new Set(["bash", "sh", "shell", "python", "py", "ruby", "rb", "yaml", "yml", "toml"]);
const PLAIN = new Set(["", "text", "txt", "plain", "md", "markdown", "diff"]);

const STRING = /"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|`(?:\\[\s\S]|[^`\\])*`?/.source;
const NUMBER = /\b\d[\w.]*/.source;
const KEYWORD =
  /\b(?:as|async|await|break|case|catch|class|const|continue|def|default|do|elif|else|enum|except|export|extends|false|fi|finally|fn|for|from|func|function|if|impl|import|in|interface|is|lambda|let|match|new|nil|None|not|null|of|package|pass|private|pub|public|raise|return|self|static|struct|super|switch|then|this|throw|true|True|False|try|type|undefined|use|var|void|while|with|yield)\b/
    .source;

const SLASHES = createPattern(/\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/.source);
const HASHES = createPattern(/#[^\n]*/.source);

export function highlight(code: string, language: string): (string | Node)[] {
  const name = language.toLowerCase();
  if (PLAIN.has(name) || code.length > MAX_LENGTH) return [code];
  const parts: (string | Node)[] = [];
  let end = 0;
  for (const { 0: text, index, groups = {} } of code.matchAll(HASH_COMMENTS.has(name) ? HASHES : SLASHES)) {
    const kind = Object.keys(groups).find((each) => groups[each] !== undefined);
    if (index > end) parts.push(code.slice(end, index));
    parts.push(kind ? element("span", kind, text) : text);
    end = index + text.length;
  }
  return end < code.length ? [...parts, code.slice(end)] : parts;
}

function createPattern(comment: string): RegExp {
  return new RegExp(`(?<comment>${comment})|(?<string>${STRING})|(?<number>${NUMBER})|(?<keyword>${KEYWORD})`, "g");
}
