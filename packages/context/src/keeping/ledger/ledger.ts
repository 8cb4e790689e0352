/** What code keeps of the work: plain data, bounded for ever, in which each item names the entry it stands in. */

/** Every list has its newest item last. */
export interface Ledger {
  readonly files: readonly LedgerFile[];
  /** Files that are no longer listed one by one. */
  readonly folders: readonly LedgerFolder[];
  readonly commands: readonly LedgerCommand[];
  readonly errors: readonly LedgerLine[];
  /** Lines of long outputs. */
  readonly lines: readonly LedgerLine[];
  readonly references: readonly LedgerReference[];
  readonly images: readonly LedgerImage[];
}

/** A file that was ever modified stays a modified one. */
export interface LedgerFile {
  readonly path: string;
  readonly did: "read" | "modified";
  readonly entryId: string;
}

/** How many files of a folder were rolled up; "." for those of the top, and for folders that are no longer listed. */
export interface LedgerFolder {
  readonly folder: string;
  readonly read: number;
  readonly modified: number;
}

export interface LedgerCommand {
  readonly command: string;
  /** Null where it is not known how it ended. */
  readonly exitCode: number | null;
  readonly entryId: string;
}

export interface LedgerLine {
  readonly text: string;
  readonly entryId: string;
}

export interface LedgerReference {
  readonly kind: "url" | "commit" | "id";
  readonly text: string;
  readonly entryId: string;
}

export interface LedgerImage {
  /** `blob:<hash>`, or `entry:<id>` where the image stands in the entry itself. */
  readonly handle: string;
  /** E.g. `800x600`. */
  readonly size: string | null;
  readonly path: string | null;
  readonly caption: string | null;
  readonly entryId: string;
}

export const emptyLedger: Ledger = {
  files: [],
  folders: [],
  commands: [],
  errors: [],
  lines: [],
  references: [],
  images: [],
};

/** How many items each list holds. */
export const MOST = {
  modified: 200,
  read: 200,
  folders: 60,
  commands: 60,
  /** Commands that only look at something. */
  looks: 20,
  errors: 20,
  lines: 40,
  references: 60,
  images: 30,
} as const;

/** How many letters of each foreign text are kept. */
export const LETTERS = { path: 1000, command: 200, line: 300, reference: 300, caption: 80, id: 100 } as const;
