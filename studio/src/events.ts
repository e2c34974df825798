// What happens: the log with its filters, and the trigger console.
import { find, kept, keep, make } from "./dom";
import type { Command, NewEvents, ViewedEvent } from "./messages";

const KINDS: ViewedEvent["kind"][] = ["note", "trigger", "problem", "contact", "state", "clock"];
const MOST = 400; // lines that are shown

export class Events {
  private hidden = new Set<string>((kept("hidden events") ?? "contact").split(",").filter(Boolean));
  private log = find("log");
  private triggers = find("triggers");

  constructor(ask: (command: Command) => void) {
    for (const kind of KINDS) {
      const button = make("button", kind, { "aria-pressed": String(!this.hidden.has(kind)) });
      button.onclick = () => {
        if (!this.hidden.delete(kind)) this.hidden.add(kind);
        button.setAttribute("aria-pressed", String(!this.hidden.has(kind)));
        keep("hidden events", [...this.hidden].join(","));
        this.filter();
      };
      find("filters").append(button);
    }
    const text = find<HTMLInputElement>("trigger-text");
    const instance = find<HTMLInputElement>("trigger-instance");
    find<HTMLFormElement>("trigger-form").onsubmit = (event) => {
      event.preventDefault();
      if (text.value === "") return;
      ask({ type: "SendTrigger", instance: Number(instance.value), text: text.value });
      text.value = "";
    };
  }

  hear({ events, dropped }: NewEvents): void {
    for (const event of events) {
      this.add(this.log, event, `${event.kind} `);
      if (event.kind === "trigger") this.add(this.triggers, event, "");
    }
    find("dropped").textContent = dropped > 0 ? `(${dropped} missed)` : "";
  }

  private add(list: HTMLElement, event: ViewedEvent, word: string): void {
    const to = event.instance < 0 ? "" : `${event.instance}: `;
    const line = make("li", `${event.time.toFixed(2)}  ${word}${to}${event.text}`, {
      "data-kind": event.kind,
    });
    line.hidden = list === this.log && this.hidden.has(event.kind);
    const atEnd = list.scrollTop + list.clientHeight > list.scrollHeight - 20;
    list.append(line);
    while (list.childElementCount > MOST) list.firstElementChild?.remove();
    if (atEnd) list.scrollTop = list.scrollHeight;
  }

  private filter(): void {
    for (const line of this.log.children) {
      (line as HTMLElement).hidden = this.hidden.has((line as HTMLElement).dataset.kind ?? "");
    }
  }
}
