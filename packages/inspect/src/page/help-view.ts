/** A dialog that lists the keyboard shortcuts. */
import { element } from "./element.js";
import { button } from "./form.js";

const KEYS: readonly [keys: string[], meaning: string][] = [
  [["↓", "↑", "j", "k"], "Next and previous row"],
  [["Home", "End"], "First and last row"],
  [["PageDown", "PageUp"], "Next and previous page of rows"],
  [["Enter"], "Go to the next part: runs, timeline, details"],
  [["Escape"], "Go back"],
  [["/"], "Search in the run"],
  [["f"], "Fork the run at the selected row"],
  [["c"], "Compare the run with another one"],
  [["g"], "Charts"],
  [["t"], "Copy the run as a test"],
  [["?"], "This list"],
];

/** Open it with `showModal`: then the browser keeps the focus inside, and closes the dialog on Escape. */
export function helpView(): HTMLDialogElement {
  const rows = KEYS.map(([keys, meaning]) =>
    element("tr", {}, element("th", {}, ...keys.map((key) => element("kbd", {}, key))), element("td", {}, meaning)),
  );
  const dialog = element(
    "dialog",
    { attributes: { "aria-label": "Keys" } },
    element("h2", {}, "Keys"),
    element("table", {}, ...rows),
    button("Close", () => dialog.close()),
  );
  // A click on the backdrop has the dialog itself as its target.
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  return dialog;
}
