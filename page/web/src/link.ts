// The link to the server: questions with their answers, and what is done when it breaks.

export interface Report {
  code?: string;
  severity: "error" | "warning" | "note";
  message: string;
  labels: { line: number; column: number; end_line: number; end_column: number; bytes: [number, number]; text: string; primary: boolean; file: string }[];
  help?: string | null;
}

export interface Reply {
  text: string;
  data: { command?: string; ok?: boolean; result?: never; error?: string; help?: string; diagnostics?: Report[] } | null;
  failed: boolean;
  interrupted: boolean;
}

export interface Place {
  model: string;
  case: string | null;
  file: string | null;
  text: string;
  time: number;
  steps: number;
  known: [number, number];
  stop: number | null;
  past: boolean;
  branch: string;
  branches: string[];
  undo: string | null;
  redo: string | null;
  done: number;
}

export interface Answer {
  replies: Reply[];
  place: Place;
}

export interface Hello {
  session: string;
  resumed: boolean;
  folder: string;
  table: string | null;
  version: string;
}

/** What has become of the link. */
export type Broken = "lost" | "taken" | "full" | "ended" | "refused";

interface Waiting {
  done: (value: never) => void;
  failed: (why: Error) => void;
}

/** Milliseconds after which a lost link is tried again, the first time. */
const FIRST_WAIT = 400;
const LONGEST_WAIT = 8000;

export class Link {
  private socket: WebSocket | null = null;
  private waiting = new Map<number, Waiting>();
  private next = 1;
  private wait = FIRST_WAIT;
  private timer: number | undefined;

  constructor(
    private readonly onHello: (hello: Hello) => void,
    private readonly onBroken: (why: Broken, said: string) => void,
    private readonly onProgress: (done: number, all: number) => void,
  ) {
    document.addEventListener("visibilitychange", () => {
      // A page that has slept tries at once.
      if (document.visibilityState === "visible" && this.timer !== undefined) this.open();
    });
  }

  get isOpen(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  open(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const session = sessionStorage.getItem("session") ?? "";
    const socket = new WebSocket(`ws://${location.host}/socket?session=${encodeURIComponent(session)}`);
    this.socket = socket;
    let greeted = false;
    socket.onmessage = (event: MessageEvent<string>) => {
      const message = JSON.parse(event.data) as { id?: number; hello?: Hello; progress?: [number, number]; error?: string };
      if (message.hello) {
        greeted = true;
        this.wait = FIRST_WAIT;
        sessionStorage.setItem("session", message.hello.session);
        this.onHello(message.hello);
      } else if (message.progress) {
        this.onProgress(...message.progress);
      } else if (message.id !== undefined) {
        const waiting = this.waiting.get(message.id);
        this.waiting.delete(message.id);
        if (message.error !== undefined) waiting?.failed(new Error(message.error));
        else waiting?.done(("answer" in message ? message.answer : message) as never);
      }
    };
    socket.onclose = (event) => {
      if (this.socket !== socket) return;
      this.socket = null;
      for (const waiting of this.waiting.values()) waiting.failed(new Error("the link was lost"));
      this.waiting.clear();
      switch (event.code) {
        case 4001:
          return this.onBroken("taken", event.reason);
        case 1013:
          return this.onBroken("full", event.reason);
        case 1000:
        case 1011:
          sessionStorage.removeItem("session");
          return this.onBroken("ended", event.reason);
        case 1002:
        case 1003:
        case 1007:
        case 1008:
        case 1009:
          this.onBroken("refused", event.reason);
          break;
        default:
          this.onBroken("lost", greeted ? "" : "no answer");
      }
      this.timer = window.setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(this.wait * 1.7, LONGEST_WAIT);
    };
  }

  ask<T>(what: Record<string, unknown>): Promise<T> {
    const id = this.next++;
    const asked = this.asked<T>(id, what);
    // How many questions are open: what waits for the page can see it.
    const count = (): string => (document.body.dataset["asking"] = String(this.waiting.size));
    count();
    asked.then(count, count);
    return asked;
  }

  private asked<T>(id: number, what: Record<string, unknown>): Promise<T> {
    return new Promise<T>((done, failed) => {
      if (!this.socket || this.socket.readyState !== WebSocket.OPEN) {
        failed(new Error("the link was lost"));
        return;
      }
      this.waiting.set(id, { done: done as (value: never) => void, failed });
      this.socket.send(JSON.stringify({ id, ...what }));
    });
  }

  /** Does lines; of the replies to `shows`, which follow them, only the data is wanted. */
  lines(lines: string[], shows: string[] = []): Promise<Answer> {
    return this.ask<Answer>({ lines, shows });
  }
}
