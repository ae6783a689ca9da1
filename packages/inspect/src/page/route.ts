/** What the page shows, as the fragment of its address: `#/RUN/ENTRY?q=TEXT`. */

export interface Route {
  run: string | undefined;
  /** The index of an entry, or `charts`. */
  view: number | "charts" | undefined;
  query: string;
}

export function readRoute(): Route {
  const [path = "", search = ""] = location.hash.slice(1).split("?");
  const [, run = "", view = ""] = path.split("/");
  const query = new URLSearchParams(search).get("q") ?? "";
  const index = /^\d+$/.test(view) ? Number(view) : undefined;
  return { run: decode(run) || undefined, view: view === "charts" ? "charts" : index, query };
}

export function writeRoute({ run, view, query }: Route): void {
  const path = run === undefined ? "" : `/${encodeURIComponent(run)}${view === undefined ? "" : `/${view}`}`;
  const hash = `#${path}${query === "" ? "" : `?q=${encodeURIComponent(query)}`}`;
  if (location.hash !== hash) history.pushState(undefined, "", hash);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
