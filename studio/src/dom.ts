// Few words for making and finding elements.

export function find<T extends HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no element '${id}'`);
  return element as T;
}

export function make<K extends keyof HTMLElementTagNameMap>(
  kind: K,
  text = "",
  attributes: Record<string, string> = {},
): HTMLElementTagNameMap[K] {
  const element = document.createElement(kind);
  element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/** Show a sentence for a while. */
export function say(text: string, kind: "bad" | "good" = "bad"): void {
  const line = make("div", text, { "data-kind": kind });
  find("messages").append(line);
  setTimeout(() => line.remove(), 6000);
}

/** Keep a small setting on this machine; it is no harm when it cannot be kept. */
export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(`armwerk ${name}`, value);
  } catch {
    // private windows may refuse
  }
}

export function kept(name: string): string | null {
  try {
    return localStorage.getItem(`armwerk ${name}`);
  } catch {
    return null;
  }
}
