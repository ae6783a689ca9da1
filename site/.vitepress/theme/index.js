/** VitePress's own theme with the fonts of the system, and a link to the Markdown of each page. */
import { useData, withBase } from "vitepress";
import Theme from "vitepress/theme-without-fonts";
import { h } from "vue";
import "./style.css";

const AsMarkdown = {
  setup() {
    const { page } = useData();
    // Without a target, the page would be looked for in the site and not be found.
    return () =>
      h("p", { class: "as-markdown" }, [
        h("a", { href: withBase(`/${page.value.relativePath}`), target: "_self" }, "This page as Markdown"),
      ]);
  },
};

export default {
  extends: Theme,
  Layout: () => h(Theme.Layout, null, { "doc-footer-before": () => h(AsMarkdown) }),
};
