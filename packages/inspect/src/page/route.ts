/** Reads and writes the state of the page as the fragment of its address: `#/RUN/ENTRY?q=TEXT`. */

/**
 * What the page shows beside the timeline of a run: the details of the entry with this index, charts, or the form for a
 * fork at an entry. A comparison with another run replaces the timeline.
 */
export type View = undefined | number | "charts" | { fork: number } | { compare: string };

export interface Route {
  run: string | undefined;
  view: View;
  query: string;
}

export function readRoute(): Route {
  const [path = "", search = ""] = location.hash.slice(1).split("?");
  const [, run = "", view = "", more = ""] = path.split("/");
  const query = new URLSearchParams(search).get("q") ?? "";
  return { run: decode(run) || undefined, view: readView(view, more), query };
}

function readView(view: string, more: string): View {
  if (view === "charts") return view;
  if (view === "vs") return { compare: decode(more) };
  if (!/^\d+$/.test(view)) return undefined;
  return more === "fork" ? { fork: Number(view) } : Number(view);
}

/** The address of a route. It begins with `#`, so an id of a run cannot turn a link into a `javascript:` address. */
export function addressOf({ run, view, query }: Route): string {
  const path = run === undefined ? "" : `/${encodeURIComponent(run)}${pathOf(view)}`;
  return `#${path}${query === "" ? "" : `?q=${encodeURIComponent(query)}`}`;
}

function pathOf(view: View): string {
  if (view === undefined) return "";
  if (typeof view !== "object") return `/${view}`;
  return "fork" in view ? `/${view.fork}/fork` : `/vs/${encodeURIComponent(view.compare)}`;
}

export function writeRoute(route: Route): void {
  const address = addressOf(route);
  if (location.hash !== address) history.pushState(undefined, "", address);
}

/** The part of the page that a narrow screen shows, which has room for only one. */
export function levelOf({ run, view }: Route): string {
  if (run === undefined) return "runs";
  if (view === undefined) return "run";
  return typeof view === "object" && "compare" in view ? "compare" : "details";
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
