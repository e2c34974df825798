// Dark or light: pictures have the sky of the theme that the page has.
import type { View } from "./view";

const SKY = { light: "#dfe6ec", dark: "#1a2027" };

/** Give a picture the sky of the theme, now and whenever the theme is changed. */
export function followTheme(view: View): void {
  const root = document.documentElement;
  const dress = () => view.sky(root.dataset.theme === "dark" ? SKY.dark : SKY.light);
  new MutationObserver(dress).observe(root, { attributes: true, attributeFilter: ["data-theme"] });
  dress();
}
