/** Defines the ports of an agent: files, shell, search, web, blobs, originals, skills, secrets, steps. Tools work on any implementation. */

import type { Redaction } from "@pith/context";
import type { Store } from "@pith/context/store";

export interface Workspace {
  /** The absolute path of the folder that relative paths start from. */
  readonly root: string;
  readonly files: WorkspaceFiles;
  readonly shell: WorkspaceShell;
  readonly search: WorkspaceSearch;
}

export interface WorkspaceFiles {
  /** Makes a path as a model writes it (relative, absolute, with ~) absolute. */
  resolve(path: string): string;
  read(path: string, options?: ReadOptions): Promise<FileReadResult>;
  /** Replaces or creates the file and its folders. The write is atomic. */
  write(path: string, bytes: Uint8Array, options?: PathOptions): Promise<FileWriteResult>;
  /** Removes a file; folders and links are refused. A missing file counts as removed. */
  remove(path: string, options?: PathOptions): Promise<FileWriteResult>;
}

/** Binds a path to the file it led to when it was permitted. */
export interface PathOptions {
  /** The required real path, with all links resolved. A path that leads elsewhere is refused. Default: any. */
  readonly realPath?: string | undefined;
}

export interface ReadOptions extends PathOptions {
  readonly signal?: AbortSignal;
  /** A larger file gives `too-large`. */
  readonly maxBytes?: number;
}

export type FileReadResult =
  | { readonly type: "read"; readonly bytes: Uint8Array }
  | { readonly type: "missing" | "folder" | "refused" | "too-large"; readonly message: string };

export type FileWriteResult = { readonly type: "written" } | { readonly type: "refused"; readonly message: string };

export interface WorkspaceShell {
  run(command: string, options: ShellOptions): Promise<ShellResult>;
}

export interface ShellOptions {
  readonly signal: AbortSignal;
  /** Milliseconds after which the whole process group is ended. Default: no limit. */
  readonly timeoutMs?: number;
  /** Called with the output of both streams in the order of arrival. */
  readonly onOutput: (chunk: Uint8Array) => void;
  /** The only hosts this command may reach; [] for none. Absent: each host is decided by `permitHost`. */
  readonly hosts?: readonly string[];
  /** Environment variables for this command alone. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Files of the real home shown to this command alone, e.g. "~/.npmrc" as it is. */
  readonly credentialFiles?: readonly string[];
  /** Called when a connection ends or is refused. */
  readonly onConnection?: (connection: NetworkConnection) => void;
  /** Called when a sandboxed command made a file that other programs run or trust. */
  readonly onCaught?: (file: CaughtFile) => void;
  /** Called before the command starts in a sandbox that can say what it does to a path. */
  readonly onSandbox?: (findRestriction: FindPathRestriction) => void;
  /** Runs each question to the user about this command, such as one about a host. The timeout does not run meanwhile. */
  readonly waitForUser?: WaitForUser | undefined;
}

/** What became of a file or folder that other programs run or trust, such as `.vscode`, and that a sandboxed command made. */
export interface CaughtFile {
  /** Where the command made it; absolute. */
  readonly path: string;
  /** `moved`: out of the workspace. `returned`: the user let it stay. `left`: it could not be moved. */
  readonly outcome: "moved" | "returned" | "left";
  /** Where it is if it was moved. */
  readonly movedTo?: string;
  /** Why it did not stay. */
  readonly why?: string;
}

/** What a command wanted to do with a path: change it, remove or rename it, or open it. */
export type PathUse = "write" | "move" | "open";

/** What a sandbox does to a path. */
export interface PathRestriction {
  /**
   * `system`, `folder`, `repository` (around the workspace), `workspace` and `guarded` paths are read-only, `folder-in-use` cannot be moved,
   * `hidden` and `closed` ones cannot be opened, nor can a `socket` of the machine.
   */
  readonly cause:
    | "system"
    | "folder"
    | "repository"
    | "workspace"
    | "guarded"
    | "folder-in-use"
    | "hidden"
    | "closed"
    | "socket";
  /** The given path, or the one around it that is restricted. */
  readonly path: string;
}

/** Null where the sandbox does not restrict this use. A relative path starts in the workspace. */
export type FindPathRestriction = (path: string, use: PathUse) => PathRestriction | null;

/** Runs a question to the user without counting its time as time of the tool. */
export type WaitForUser = <Answer>(ask: () => Promise<Answer>) => Promise<Answer>;

/** A connection of a sandboxed command that has ended. */
export interface NetworkConnection {
  readonly host: string;
  readonly port: number;
  readonly outcome: "allowed" | "refused";
  /** Why it was refused or closed with an error. */
  readonly why?: string;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

/** The result of opening a port between the sandbox and the user's machine. */
export type PortResult = { readonly type: "open" } | { readonly type: "failed"; readonly why: string };

export type ShellResult =
  | { readonly type: "ended"; readonly exitCode: number }
  | { readonly type: "killed"; readonly cause: "signal" | "timeout" | "abort" | "limit"; readonly message: string }
  | { readonly type: "not-started"; readonly message: string };

/** Searches files and their contents. Ignored files are left out unless a path names them. */
export interface WorkspaceSearch {
  /** The names in a folder, sorted; folders end in a slash. */
  list(path: string, options: SearchOptions): Promise<SearchResult<FolderEntry>>;
  /** Paths below a folder that match a glob, relative to the folder, the newest first. */
  find(query: FindQuery, options: SearchOptions): Promise<SearchResult<string>>;
  grep(query: GrepQuery, options: SearchOptions): Promise<SearchResult<GrepHit>>;
}

export interface SearchOptions extends PathOptions {
  readonly signal: AbortSignal;
  /** The search stops after this number of results. */
  readonly maxResults: number;
  /** Whether to leave out a file. Called with its real path. */
  readonly isExcluded?: ((path: string) => boolean) | undefined;
}

export type SearchResult<Item> =
  /** `isComplete` is false if there are more than `maxResults`. */
  | { readonly type: "found"; readonly items: readonly Item[]; readonly isComplete: boolean }
  | { readonly type: "missing" | "refused"; readonly message: string };

export interface FolderEntry {
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
  /** The size, for files. */
  readonly bytes?: number;
}

export interface FindQuery {
  readonly folder: string;
  readonly glob: string;
  /** Returns files in any order without reading their times, for very many files. Default: the newest first. */
  readonly isUnordered?: boolean;
}

export interface GrepQuery {
  readonly pattern: string;
  /** A file or a folder. */
  readonly path: string;
  readonly glob?: string;
  readonly isLiteral?: boolean;
  readonly ignoresCase?: boolean;
  /** Lines shown before and after each hit. */
  readonly contextLines?: number;
  /** Redacts lines before they are cut, because a part of a secret is not recognized. */
  readonly redaction?: Redaction | undefined;
}

export interface GrepHit {
  /** Relative to the searched folder; the file name if the searched path is a file. */
  readonly path: string;
  readonly line: number;
  readonly text: string;
  /** Whether this is a context line around a hit. */
  readonly isContext: boolean;
}

/** Stores output that is too long for the context, beside the session. Blobs are named by the hash of their content. */
export interface BlobStore {
  keep(bytes: Uint8Array): Promise<BlobWriteResult>;
  /** The blobs whose hash starts with these digits. */
  findByPrefix(digits: string): Promise<FindBlobsResult>;
  /** For output that arrives in chunks and is too large for memory. */
  createWriter(): BlobWriter;
  /** Reads a range of a blob; `size` is the size of the whole blob. */
  read(hash: string, range: { readonly start: number; readonly end: number }): Promise<ReadBlobResult>;
}

export interface BlobWriter {
  /** Copies the chunk. Bytes beyond the quota are dropped. */
  write(chunk: Uint8Array): void;
  keep(): Promise<BlobWriteResult>;
  /** Discards the blob. Has no effect after `keep`. */
  drop(): void;
}

export type BlobWriteResult =
  /** `isWhole` is false if the quota was reached and only the beginning was kept. */
  | { readonly type: "kept"; readonly hash: string; readonly bytes: number; readonly isWhole: boolean }
  | { readonly type: "unavailable"; readonly why: string };

export type FindBlobsResult =
  | { readonly type: "found"; readonly blobs: readonly { readonly hash: string; readonly bytes: number }[] }
  | { readonly type: "unavailable"; readonly why: string };

export type ReadBlobResult =
  | { readonly type: "read"; readonly bytes: Uint8Array; readonly size: number }
  | { readonly type: "none" | "changed" | "unavailable"; readonly why: string };

/** The bytes of files that a session replaced and wrote, for moves in the tree. They are never exported, indexed or sent. */
export interface FileOriginals {
  /** Returns the hash, or null if the bytes cannot be kept: too large, or the disk refuses. Never throws. */
  keep(bytes: Uint8Array): Promise<string | null>;
  /** Returns exactly the bytes that were kept under this hash; null if they are missing or damaged. */
  read(hash: string): Promise<Uint8Array | null>;
}

export interface SkillFiles {
  /** The hash of a file as it is now; null if it is gone or cannot be read. */
  readHash(path: string): Promise<string | null>;
}

export interface Secrets extends Redaction {
  /** Replaces placeholders by the secrets. Only for the tool that needs them. */
  restore<Value>(value: Value): Promise<RestoreSecretsResult<Value>>;
  /** The placeholders in the value, each once. */
  listPlaceholders(value: unknown): readonly string[];
  /** Redacts a text that arrives in chunks. */
  stream(): RedactionStream;
  /** The secrets found since the last call. */
  takeFindings(): readonly SecretFinding[];
}

export type RestoreSecretsResult<Value> =
  | { readonly type: "restored"; readonly value: Value }
  /** The values of these placeholders are not known, because they were found before the last restart. */
  | { readonly type: "unknown"; readonly placeholders: readonly string[] };

/** The output does not depend on how the text is split into chunks. */
export interface RedactionStream {
  /** Returns the text that can be passed on now. */
  write(text: string): string;
  /** Returns the rest. */
  end(): string;
}

export interface SecretFinding {
  /** The kind of secret for the user: "GitHub token", or the name of its variable. */
  readonly family: string;
  readonly placeholder: string;
}

/** Opens web pages. It must never connect to a private address. */
export interface Web {
  open(url: string, options: WebOptions): Promise<WebResult>;
}

export interface WebOptions {
  readonly signal: AbortSignal;
  /** The maximum size of a page after decompression. The rest is dropped. */
  readonly maxBytes: number;
}

export type WebResult = WebPage | WebRefused | WebFailed;

export interface WebPage {
  readonly type: "page";
  /** The URL after all redirects. */
  readonly url: string;
  readonly status: number;
  /** The `content-type` header, or null. */
  readonly contentType: string | null;
  readonly bytes: Uint8Array;
  /** False if the page is larger than `maxBytes`. */
  readonly isComplete: boolean;
}

/** The address is not allowed. */
export interface WebRefused {
  readonly type: "refused";
  readonly why:
    | "malformed"
    | "scheme"
    | "credentials"
    | "spelling"
    | "name"
    | "port"
    | "address"
    | "downgrade"
    | "elsewhere"
    | "too-many-redirects";
  readonly message: string;
}

/** The request failed. */
export interface WebFailed {
  readonly type: "failed";
  readonly why: "unresolved" | "unreachable" | "timeout" | "aborted" | "broken";
  readonly message: string;
}

/** Makes an image smaller. It must take bounded time and memory, and must not throw. */
export type ShrinkImage = (bytes: Uint8Array, options: ShrinkImageOptions) => Promise<ShrinkImageResult>;

/** How small an image must become. */
export interface ShrinkImageOptions {
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** A smaller image, or why there is none. */
export type ShrinkImageResult =
  | {
      readonly type: "shrunk";
      readonly bytes: Uint8Array;
      readonly mimeType: string;
      readonly width: number;
      readonly height: number;
      readonly originalWidth: number;
      readonly originalHeight: number;
    }
  | { readonly type: "failed"; readonly why: string };

/** A session whose entries the `recall` tool can find and show. */
export interface SearchableSession {
  readonly store: Pick<Store, "entry" | "entryByNumber" | "lastNumber">;
  readonly search: SearchEntries;
  /** Called when the tool is done. */
  readonly close?: () => Promise<unknown>;
}

/** Finds entries of one session by their text, best first. */
export type SearchEntries = (query: EntryQuery, options: SearchEntriesOptions) => Promise<SearchEntriesResult>;

export interface EntryQuery {
  /** Words, "phrases" and prefixes*. An entry that contains only some of them matches, too. Empty: any entry. */
  readonly text: string;
  /** Only calls of this tool and their results. */
  readonly tool?: string;
  /** Only entries that contain this path. */
  readonly file?: string;
  /** The number of hits to skip. */
  readonly offset: number;
  readonly limit: number;
}

export interface SearchEntriesOptions {
  readonly signal: AbortSignal;
  /** Called while a long session is indexed for the first time. */
  readonly onProgress: (progress: { readonly done: number; readonly total: number }) => void;
}

export type SearchEntriesResult =
  | {
      readonly type: "found";
      readonly hits: readonly EntryHit[];
      /** The number of matches. */
      readonly count: number;
      /** Whether there are more matches than counted. */
      readonly more: boolean;
      /** Why some entries could not be searched; null if all were. */
      readonly incomplete: string | null;
    }
  | { readonly type: "failed"; readonly why: string };

export interface EntryHit {
  /** The id of the entry. */
  readonly id: string;
  /** The part of its text that matches best, on one line. */
  readonly excerpt: string;
  /** The place in the stored output of a tool call that the excerpt comes from, such as `blob:1a2b3c4d` and its line. */
  readonly stored?: { readonly reference: string; readonly line: number | null };
}

/** Opens another session by its id or name, if the model may read it. `named` lists what the user wrote after `@session:`. */
export type OpenOtherSession = (reference: string, named: readonly string[]) => Promise<OpenOtherSessionResult>;

export type OpenOtherSessionResult =
  | { readonly type: "opened"; readonly session: SearchableSession }
  | { readonly type: "refused"; readonly why: string };
