/** What the page shows, as the fragment of its address: `#/RUN/ENTRY?q=TEXT`. */

/** Beside the timeline of a run, or in its place: the details of an entry, charts, a fork at an entry, another run. */
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

/** The address of a route; its texts are encoded, so that they cannot be another scheme. */
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

/** What of the page a narrow screen shows. */
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
