/** Keys that work anywhere on the page. */

/**
 * Calls an action for its key. Single characters do nothing while the user writes, and nothing works behind a window.
 *
 * @param leave called for Escape in a field, in place of its action
 */
export function listenToKeys(actions: Readonly<Record<string, () => void>>, leave: () => void): void {
  addEventListener("keydown", (event) => {
    const action = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined;
    if (!action || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const { target } = event;
    const isWriting = target instanceof HTMLElement && target.matches("input, textarea, select");
    if (isWriting && event.key !== "Escape") return;
    // The key must not be typed into the field that gets the focus, and Escape must not empty the field that it leaves.
    if (event.key.length === 1 || isWriting) event.preventDefault();
    if (isWriting) leave();
    else action();
  });
}
