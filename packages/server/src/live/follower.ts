/** Follows one session for one client: entries in the order of the log, and deltas of the reply that is being written, without gaps. */

import type { Entry } from "@pith/context";
import type { Database } from "../store/connect.ts";
import { type EntryRow, toEntries } from "../store/entry-rows.ts";
import type { SessionRef } from "../store/postgres-store.ts";
import type { DeltaItem, LiveItem } from "./live-items.ts";
import { compareHolders, type LiveDelta } from "./reply-text.ts";

/** `idle`: it has no work. `waiting`: its tenant has no place left. `parked`: workers ended with it too often. */
export type SessionStatus = "idle" | "busy" | "waiting" | "parked";

/** What someone who follows a session sees. */
export type LiveEvent =
  /** Each entry once, in the order of the log. `seq` is its position. */
  | { readonly type: "entry"; readonly seq: number; readonly entry: Entry }
  | LiveDelta
  /** The first event, and again when something of it has changed, after the entries until then. */
  | { readonly type: "state"; readonly status: SessionStatus; readonly openQuestions: number };

type LiveState = Extract<LiveEvent, { type: "state" }>;

/** What a follower needs of its feed. */
export interface FollowerOptions {
  readonly database: Database;
  readonly session: SessionRef;
  /** The last entry that the client has; -1 for none. */
  readonly after: number;
  readonly signal: AbortSignal;
  /** Asks the worker for the reply from its beginning. */
  readonly askForReply: (key: string) => void;
}

/** A client that does not read holds one page. */
const PAGE_ENTRIES = 50;
const PAGE_BYTES = 256 * 1024;

interface EntryPage {
  readonly entries: readonly Entry[];
  readonly hasMore: boolean;
}

/** Text that waits for a client that is slow. More is dropped, and asked for again. */
const MAX_WAITING_CHARS = 256 * 1024;
/** What a delta counts besides its text. */
const DELTA_CHARS = 100;

/** A reply that was asked for may not come, because the worker could not hear it. */
const ASK_AGAIN_MS = 1_000;

/** Deltas of a reply that is an entry may come late. */
const REMEMBERED_REPLIES = 100;

export class Follower {
  readonly #options: FollowerOptions;
  #seq: number;
  #state: LiveState | null = null;
  #token = "0";
  #mustReadEntries = true;
  #mustReadState = true;
  #waiting: LiveDelta[] = [];
  #waitingChars = 0;
  /** What the client has of the running reply, or will have when it has read what waits. Null: its beginning is missing. */
  #progress: { readonly reply: string; readonly holder: string; readonly lengths: number[] } | null = null;
  #mustAsk = true;
  #askedAt = -Infinity;
  /** The last entries that were read. */
  readonly #entries = new Set<string>();
  #wake = (): void => {};

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#seq = options.after;
  }

  get key(): string {
    return this.#options.session.key;
  }

  /** The position of the last entry that was read, and the state that the client knows. */
  get seen(): { readonly seq: number; readonly state: LiveState | null } {
    return { seq: this.#seq, state: this.#state };
  }

  receive(item: LiveItem): void {
    if (item.type === "delta") this.#addDelta(item);
    else if (item.type === "entries") this.#mustReadEntries = true;
    else this.#mustReadState = true;
    this.#wake();
  }

  /** Reads entries and state. */
  readAgain(): void {
    this.#mustReadEntries = true;
    this.#mustReadState = true;
    this.#wake();
  }

  /** Items may be missing, so the reply is needed from its beginning. */
  startOver(): void {
    this.#dropReply();
    this.readAgain();
  }

  /** Ends when the signal is aborted, or the session was erased. */
  async *read(): AsyncGenerator<LiveEvent> {
    const { signal } = this.#options;
    const onAbort = (): void => this.#wake();
    signal.addEventListener("abort", onAbort);
    try {
      await this.#readLastEntry();
      while (!signal.aborted) {
        const isFirst = this.#state === null;
        const state = this.#mustReadState ? await this.#readState() : null;
        if (state === "erased") return;
        if (state && isFirst) yield state;
        if (state || this.#mustReadEntries) yield* this.#readEntries();
        // A session that is idle has no entry that the client lacks.
        if (state && !isFirst) yield state;
        // Deltas wait until the entries before them were read.
        if (this.#mustReadEntries || this.#mustReadState) continue;
        this.#askIfNeeded();
        yield* this.#takeDeltas();
        await this.#waitForWork();
      }
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  async #waitForWork(): Promise<void> {
    if (this.#mustReadEntries || this.#mustReadState || this.#waiting.length > 0 || this.#options.signal.aborted)
      return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = this.#mustAsk ? setTimeout(resolve, ASK_AGAIN_MS) : undefined;
    await promise;
    clearTimeout(timer);
    this.#wake = () => {};
  }

  /** The client has it already. Deltas of it may still come. */
  async #readLastEntry(): Promise<void> {
    if (this.#seq < 0) return;
    const { entries } = await this.#readPage(this.#seq, 1);
    const [entry] = entries;
    if (entry) this.#entries.add(entry.id);
  }

  /** Returns null if the client knows it. */
  async #readState(): Promise<LiveState | "erased" | null> {
    this.#mustReadState = false;
    const { database, session } = this.#options;
    const [row] = await database.readRows<StateRow>("read_state", [session.tenant, session.key]);
    if (!row) return "erased";
    this.#raiseToken(row.token);
    const state: LiveState = { type: "state", status: row.status, openQuestions: row.open_questions };
    const known = this.#state;
    if (known?.status === state.status && known.openQuestions === state.openQuestions) return null;
    this.#state = state;
    return state;
  }

  async *#readEntries(): AsyncGenerator<LiveEvent> {
    this.#mustReadEntries = false;
    for (let hasMore = true; hasMore; ) {
      const page = await this.#readPage(this.#seq + 1, PAGE_ENTRIES);
      hasMore = page.hasMore;
      for (const entry of page.entries) {
        if (this.#options.signal.aborted) return;
        this.#seq += 1;
        this.#rememberEntry(entry);
        yield { type: "entry", seq: this.#seq, entry };
      }
    }
  }

  async #readPage(seq: number, limit: number): Promise<EntryPage> {
    const { database, session } = this.#options;
    const { tenant, key } = session;
    const values = [tenant, key, seq, limit, PAGE_BYTES];
    const rows = await database.readRows<EntryRow & { readonly has_more: boolean }>("read_page", values);
    return { entries: await toEntries(rows), hasMore: rows.at(-1)?.has_more ?? false };
  }

  #rememberEntry({ id }: Entry): void {
    this.#entries.add(id);
    if (this.#entries.size > REMEMBERED_REPLIES) this.#entries.delete(this.#entries.values().next().value ?? "");
  }

  *#takeDeltas(): Generator<LiveEvent> {
    const deltas = this.#waiting;
    this.#waiting = [];
    this.#waitingChars = 0;
    for (const delta of deltas) if (this.#isCurrent(delta)) yield delta;
  }

  #isCurrent({ reply, holder }: LiveDelta): boolean {
    return !this.#entries.has(reply) && compareHolders(holder, this.#token) >= 0;
  }

  #addDelta({ key: _, isRepeat, ...delta }: DeltaItem): void {
    if (!this.#isCurrent(delta)) return;
    this.#raiseToken(delta.holder);
    const missing = this.#advance(delta, isRepeat);
    if (!missing) return;
    const last = this.#waiting.at(-1);
    if (last && isNext(last, missing))
      this.#waiting[this.#waiting.length - 1] = { ...last, text: last.text + missing.text };
    else this.#waiting.push(missing);
    this.#waitingChars += missing.text.length + DELTA_CHARS;
    if (this.#waitingChars > MAX_WAITING_CHARS) this.#dropReply();
  }

  /** Returns what the client lacks of a delta. Null: nothing, or the beginning of the reply is missing. */
  #advance(delta: LiveDelta, isRepeat: boolean): LiveDelta | null {
    const { reply, holder, part, offset, text } = delta;
    const progress = this.#progress;
    const isSame = progress?.reply === reply && progress.holder === holder;
    const lengths = isSame ? progress.lengths : [];
    const known = lengths[part];
    if (part > lengths.length || offset > (known ?? 0)) {
      this.#progress = null;
      this.#mustAsk = true;
      return null;
    }
    if (!isSame) {
      this.#progress = { reply, holder, lengths };
      this.#mustAsk = false;
    }
    const end = offset + text.length;
    if (isRepeat && known !== undefined) {
      if (end <= known) return null;
      lengths[part] = end;
      const { call: _, ...rest } = delta;
      return known === 0 ? delta : { ...rest, offset: known, text: text.slice(known - offset) };
    }
    if (offset === 0) lengths.splice(part);
    lengths[part] = end;
    return delta;
  }

  #dropReply(): void {
    this.#waiting = [];
    this.#waitingChars = 0;
    this.#progress = null;
    this.#mustAsk = true;
  }

  /** A client that is behind asks when it has caught up, and not before. */
  #askIfNeeded(): void {
    const now = performance.now();
    if (!this.#mustAsk || now - this.#askedAt < ASK_AGAIN_MS) return;
    this.#mustAsk = false;
    this.#askedAt = now;
    this.#options.askForReply(this.key);
  }

  #raiseToken(token: string): void {
    if (compareHolders(token, this.#token) > 0) this.#token = token;
  }
}

interface StateRow {
  readonly status: SessionStatus;
  readonly open_questions: number;
  readonly token: string;
}

function isNext(last: LiveDelta, next: LiveDelta): boolean {
  return (
    last.reply === next.reply &&
    last.holder === next.holder &&
    last.part === next.part &&
    next.offset > 0 &&
    next.offset === last.offset + last.text.length
  );
}
