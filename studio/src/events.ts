// What happens: the log with its filters, and the trigger console.
import { find, kept, keep, make } from "./dom";
import type { Command, NewEvents, ViewedEvent } from "./messages";

const KINDS: ViewedEvent["kind"][] = ["note", "trigger", "problem", "contact", "state", "clock"];
const MOST = 400; // lines that are shown
const KEPT = 2000; // events that are remembered for the filters

export class Events {
  /** Called when other kinds of events are to be seen. */
  onFilter: (hidden: ReadonlySet<string>) => void = () => undefined;
  private hidden = new Set<string>((kept("hidden events") ?? "contact").split(",").filter(Boolean));
  private log = find("log");
  private triggers = find("triggers");
  private events: ViewedEvent[] = [];
  private words = find<HTMLInputElement>("event-filter");
  private triggerWords = find<HTMLInputElement>("trigger-filter");
  private receiver = find<HTMLInputElement>("trigger-receiver");

  constructor(ask: (command: Command) => void) {
    for (const kind of KINDS) {
      const button = make("button", kind, { "aria-pressed": String(!this.hidden.has(kind)) });
      button.onclick = () => {
        if (!this.hidden.delete(kind)) this.hidden.add(kind);
        button.setAttribute("aria-pressed", String(!this.hidden.has(kind)));
        keep("hidden events", [...this.hidden].join(","));
        this.filter();
        this.onFilter(this.hidden);
      };
      find("filters").append(button);
    }
    for (const input of [this.words, this.triggerWords, this.receiver]) input.oninput = () => this.filter();
    const text = find<HTMLInputElement>("trigger-text");
    const instance = find<HTMLInputElement>("trigger-instance");
    find<HTMLFormElement>("trigger-form").onsubmit = (event) => {
      event.preventDefault();
      if (text.value === "") return;
      ask({ type: "SendTrigger", instance: Number(instance.value), text: text.value });
      text.value = "";
    };
  }

  get filtered(): ReadonlySet<string> {
    return this.hidden;
  }

  hear({ events, dropped }: NewEvents): void {
    this.add(events, false);
    find("dropped").textContent = dropped > 0 ? `(${dropped} missed)` : "";
  }

  /** Add events; anew: in the place of those of before. */
  add(events: ViewedEvent[], anew: boolean): void {
    this.events = (anew ? events : [...this.events, ...events]).slice(-KEPT);
    if (anew) this.filter();
    else for (const event of events) this.write(event);
  }

  private write(event: ViewedEvent): void {
    const to = event.instance < 0 ? "" : `${event.instance}: `;
    const time = event.time.toFixed(2);
    if (!this.hidden.has(event.kind) && has(event, this.words.value)) {
      append(this.log, event, `${time}  ${event.kind} ${to}${event.text}`);
    }
    const wanted = this.receiver.value === "" || Number(this.receiver.value) === event.instance;
    if (event.kind === "trigger" && wanted && has(event, this.triggerWords.value)) {
      append(this.triggers, event, `${time}  ${to}${event.text}`);
    }
  }

  private filter(): void {
    this.log.replaceChildren();
    this.triggers.replaceChildren();
    for (const event of this.events) this.write(event);
    for (const list of [this.log, this.triggers]) list.scrollTop = list.scrollHeight;
  }
}

function has(event: ViewedEvent, words: string): boolean {
  return event.text.toLowerCase().includes(words.trim().toLowerCase());
}

function append(list: HTMLElement, event: ViewedEvent, text: string): void {
  const atEnd = list.scrollTop + list.clientHeight > list.scrollHeight - 20;
  list.append(make("li", text, { "data-kind": event.kind }));
  while (list.childElementCount > MOST) list.firstElementChild?.remove();
  if (atEnd) list.scrollTop = list.scrollHeight;
}
