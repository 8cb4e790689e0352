/** Implements the session store on PostgreSQL: one row per entry. The writer that opened a session last is the only one that can append. */

import type { AppendResult, BranchSummaryEntry, Entry, Header, LoadedBranch } from "@pith/context";
import {
  type AppendGuard,
  collectLabels,
  findBranchSummaries,
  isFutureHeader,
  loadBranch,
  loadBranchFrom,
  type Refusal,
  type Store,
} from "@pith/context/store";
import { DatabaseError } from "pg";
import { appendBatch, type SessionPosition } from "./append.ts";
import { type Database, UnavailableError } from "./connect.ts";
import { type EntryRow, fromStoredText, toEntries, toEntry, toStoredText } from "./entry-rows.ts";

/** A session of a tenant. */
export interface SessionRef {
  readonly tenant: string;
  /** The key of its row, which no other session ever has. */
  readonly key: string;
}

/** What `openSession` has read. */
export interface OpenedSession extends SessionRef {
  readonly header: Header;
  /** The line of the header, exactly as written. */
  readonly headerText: string;
  /** Null if the session is open for reading only. */
  readonly token: string | null;
  readonly position: SessionPosition;
  /** Ids that no entry of the session has, as far as that was looked up. */
  readonly absentIds?: readonly string[];
  /** Absent: it must be read. */
  readonly hasPreparedSummary?: boolean;
}

/** A session in PostgreSQL. */
export class PostgresStore implements Store {
  readonly header: Header;
  readonly headerText: string;
  readonly session: SessionRef;
  readonly #database: Database;
  readonly #token: string | null;
  /** What a writer knows: nobody else can move the leaf. Null if it must be read again. */
  #position: SessionPosition | null;
  /** The ids that this writer has looked up in vain, which nobody else can append, and those that it has appended or tried to. */
  readonly #knownIds = new Map<string, "absent" | "written">();
  #mayHavePreparedSummary: boolean;
  #isClosed = false;
  /** The last append; the next one waits for it. */
  #lastAppend: Promise<unknown> = Promise.resolve();

  constructor(database: Database, opened: OpenedSession) {
    const { tenant, key, header, headerText, token, position, absentIds = [], hasPreparedSummary = true } = opened;
    this.#database = database;
    this.header = header;
    this.headerText = headerText;
    this.session = { tenant, key };
    this.#token = token;
    this.#position = token === null ? null : position;
    if (token !== null) for (const id of absentIds) this.#knownIds.set(id, "absent");
    this.#mayHavePreparedSummary = hasPreparedSummary || token === null;
  }

  async leaf(): Promise<string | null> {
    return (await this.#knownPosition()).leaf;
  }

  async lastNumber(): Promise<number> {
    return (await this.#knownPosition()).lastNumber;
  }

  async loadBranch(leaf: string | null): Promise<LoadedBranch> {
    if (leaf === null) return loadBranch([]);
    return loadBranchFrom([...(await this.#readBranch(leaf, { isWhole: false }))].reverse());
  }

  async branchEntries(leaf: string | null): Promise<readonly Entry[]> {
    return leaf === null ? [] : this.#readBranch(leaf, { isWhole: true });
  }

  async entry(id: string): Promise<Entry | undefined> {
    if (this.#knownIds.get(id) === "absent") return undefined;
    const [entry] = await this.#readEntries("read_entry", toStoredText(id));
    if (entry === undefined && this.#token !== null && !this.#knownIds.has(id)) this.#knownIds.set(id, "absent");
    return entry;
  }

  async entryByNumber(number: number): Promise<Entry | undefined> {
    return isRowInteger(number) ? (await this.#readEntries("read_entry_by_number", number))[0] : undefined;
  }

  async children(id: string | null): Promise<readonly Entry[]> {
    return this.#readEntries("read_children", id === null ? null : toStoredText(id));
  }

  async entriesFrom(position: number, limit: number): Promise<readonly Entry[]> {
    return toEntries(await this.rowsFrom(position, limit));
  }

  /** Like `entriesFrom`, with the lines as written. */
  async rowsFrom(position: number, limit: number): Promise<readonly EntryRow[]> {
    if (position < 0 || limit <= 0 || !isRowInteger(position)) return [];
    return this.#readRows<EntryRow>("read_entries_from", [position, Math.min(limit, MAX_INTEGER)]);
  }

  async branchSummaries(fromIds: ReadonlySet<string>): Promise<readonly BranchSummaryEntry[]> {
    return findBranchSummaries(await this.#readEntries("read_entries_of_type", "branch_summary"), fromIds);
  }

  async labels(): Promise<ReadonlyMap<string, string>> {
    return collectLabels(await this.#readEntries("read_entries_of_type", "label"));
  }

  async name(): Promise<string | undefined> {
    const last = (await this.#readEntries("read_entries_of_type", "session_info")).at(-1);
    return last?.type === "session_info" ? last.name?.trim() || undefined : undefined;
  }

  async line(id: string): Promise<string | undefined> {
    const [row] = await this.#readRows<EntryRow>("read_entry", [toStoredText(id)]);
    return row && toEntry(row).type !== "gap" ? row.body : undefined;
  }

  async commonAncestor(one: string | null, other: string | null): Promise<string | null> {
    const ids = [one, other];
    const [row] = await this.#readRows<CommonAncestorRow>(
      "common_ancestor",
      ids.map((id) => (id === null ? null : toStoredText(id))),
    );
    for (const [index, isKnown] of [row?.known_one, row?.known_other].entries())
      if (ids[index] !== null && !isKnown) throw unknownEntryError(String(ids[index]));
    return row?.id == null ? null : fromStoredText(row.id);
  }

  async append(batch: readonly Entry[], guard: AppendGuard): Promise<AppendResult> {
    if (this.#isClosed) return this.#refuse("closed");
    for (const { id } of batch) this.#knownIds.set(id, "written");
    const result = this.#lastAppend.then(() => this.#append(batch, guard));
    this.#lastAppend = result.catch(() => undefined);
    return result;
  }

  async #append(batch: readonly Entry[], guard: AppendGuard): Promise<AppendResult> {
    const token = this.#token;
    if (token === null) return this.#refuse("read-only");
    if (isFutureHeader(this.header)) return this.#refuse("newer-version");
    try {
      const { result, position } = await appendBatch(this.#database, { ...this.session, token }, { batch, guard });
      this.#position = position;
      return result;
    } catch (error) {
      const why = refusalOf(error);
      if (why === null) throw error;
      const refused = this.#refuse(why);
      // Of `unavailable`, it is not known whether the batch was written.
      this.#position = null;
      return refused;
    }
  }

  readonly preparedSummary: NonNullable<Store["preparedSummary"]> = {
    read: async () => {
      if (!this.#mayHavePreparedSummary) return null;
      const [row] = await this.#readRows<{ readonly text: string | null }>("read_prepared_summary", []);
      return row?.text == null ? null : (JSON.parse(row.text) as string);
    },
    write: (text) => {
      this.#mayHavePreparedSummary = true;
      return this.#writePreparedSummary(JSON.stringify(text));
    },
    remove: () => this.#writePreparedSummary(null),
  };

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#lastAppend;
  }

  async #writePreparedSummary(text: string | null): Promise<void> {
    const { tenant, key } = this.session;
    if (this.#isClosed || this.#token === null) return;
    await this.#database.call("write_prepared_summary", [tenant, key, this.#token, text]).catch((error: unknown) => {
      // Without a prepared summary, the next compaction requests one.
      if (refusalOf(error) === null) throw error;
    });
  }

  #refuse(why: Refusal): AppendResult {
    return { type: "refused", why, leaf: this.#position?.leaf ?? null };
  }

  async #knownPosition(): Promise<SessionPosition> {
    return this.#position ?? this.readPosition();
  }

  /** Reads the end of the session. Throws if the session was erased. */
  async readPosition(): Promise<SessionPosition> {
    const [row] = await this.#readRows<PositionRow>("read_position", []);
    if (!row) throw new Error("there is no such session; it may have been erased");
    return { leaf: row.leaf === null ? null : fromStoredText(row.leaf), lastNumber: row.last_number };
  }

  async #readBranch(leaf: string, { isWhole }: { readonly isWhole: boolean }): Promise<readonly Entry[]> {
    const entries = await this.#readEntries("read_branch", toStoredText(leaf), isWhole);
    if (entries.length === 0) throw unknownEntryError(leaf);
    return entries;
  }

  async #readEntries(name: string, ...values: readonly unknown[]): Promise<readonly Entry[]> {
    return toEntries(await this.#readRows<EntryRow>(name, values));
  }

  /** Calls a function of the schema that reads this session. */
  #readRows<Row extends object>(name: string, values: readonly unknown[]): Promise<readonly Row[]> {
    const { tenant, key } = this.session;
    return this.#database.readRows<Row>(name, [tenant, key, ...values]);
  }
}

interface PositionRow {
  readonly leaf: string | null;
  readonly last_number: number;
}

interface CommonAncestorRow {
  readonly known_one: boolean;
  readonly known_other: boolean;
  readonly id: string | null;
}

function refusalOf(error: unknown): Refusal | null {
  if (error instanceof UnavailableError) return "unavailable";
  return error instanceof DatabaseError && error.code === DISK_FULL ? "disk-full" : null;
}

const DISK_FULL = "53100";

function isRowInteger(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) <= MAX_INTEGER;
}

/** The largest integer of a column. */
const MAX_INTEGER = 2 ** 31 - 1;

function unknownEntryError(id: string): Error {
  return new Error(`entry ${id} is not in this session`);
}
