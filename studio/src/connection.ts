// The websocket: comes back by itself when it is lost, and knows which answer belongs to what.
import type { Answer, Command, Message } from "./messages";

export type State = "connecting" | "open" | "lost";

export class Connection {
  onMessage: (message: Exclude<Message, Answer>) => void = () => undefined;
  onFrame: (data: ArrayBuffer) => void = () => undefined;
  onState: (state: State) => void = () => undefined;
  private socket: WebSocket | null = null;
  private waiting = new Map<number, (answer: Answer) => void>();
  private request = 0;
  private pause = 250;

  constructor(private token: string) {}

  open(): void {
    const url = new URL("/ws", location.href);
    url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    url.searchParams.set("token", this.token);
    const socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.pause = 250;
      this.onState("open");
    };
    socket.onmessage = (event: MessageEvent<ArrayBuffer | string>) => {
      if (typeof event.data === "string") this.hear(JSON.parse(event.data) as Message);
      else this.onFrame(event.data);
    };
    socket.onclose = () => this.lost();
  }

  /** Send a command; the promise holds what became of it. */
  ask(command: Command): Promise<Answer> {
    const socket = this.socket;
    if (socket === null || socket.readyState !== WebSocket.OPEN) {
      const problem = "the server is away; it will be tried again";
      return Promise.resolve({ type: "Answer", request: -1, problem, problems: [], result: null });
    }
    this.request += 1;
    const request = this.request;
    socket.send(JSON.stringify({ ...command, request }));
    return new Promise((resolve) => this.waiting.set(request, resolve));
  }

  private hear(message: Message): void {
    if (message.type !== "Answer") {
      this.onMessage(message);
      return;
    }
    this.waiting.get(message.request)?.(message);
    this.waiting.delete(message.request);
  }

  private lost(): void {
    this.onState("lost");
    for (const [request, resolve] of this.waiting) {
      resolve({ type: "Answer", request, problem: "the server went away", problems: [], result: null });
    }
    this.waiting.clear();
    setTimeout(() => void this.again(), this.pause);
    this.pause = Math.min(2 * this.pause, 4000);
  }

  /** Come back: a server that was started anew has another token. */
  private async again(): Promise<void> {
    try {
      const answer = await fetch("/token");
      if (answer.ok) this.token = ((await answer.json()) as { token: string }).token;
      this.open();
    } catch {
      this.lost();
    }
  }
}
