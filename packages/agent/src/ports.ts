/** Defines the ports an agent is given: files, shell, search, web, blobs, secrets, steps. The same tools work on a disk or in a sandbox. */

import type { Redaction } from "@pith/context";

export interface Workspace {
  /** The folder from which relative paths start; absolute. */
  readonly root: string;
  readonly files: WorkspaceFiles;
  readonly shell: WorkspaceShell;
  readonly search: WorkspaceSearch;
}

export interface WorkspaceFiles {
  /** A path as a model writes it (relative, absolute, with ~), absolute. */
  resolve(path: string): string;
  read(path: string, act?: ReadOptions): Promise<FileReadResult>;
  /** Replaces or creates the file whole, its folders too; nobody sees half of it. */
  write(path: string, bytes: Uint8Array, act?: PathOptions): Promise<FileWriteResult>;
  /** A file alone: folders and links are refused. One that is not there counts as removed. */
  remove(path: string, act?: PathOptions): Promise<FileWriteResult>;
}

/** How a path is held to what it led to when somebody looked. */
export interface PathOptions {
  /** Where it must lead, every link followed: what leads elsewhere by now is refused. Unless said, wherever it leads. */
  readonly realPath?: string | undefined;
}

export interface ReadOptions extends PathOptions {
  readonly signal?: AbortSignal;
  /** What is larger is too large. */
  readonly maxBytes?: number;
}

export type FileReadResult =
  | { readonly type: "read"; readonly bytes: Uint8Array }
  | { readonly type: "missing" | "folder" | "refused" | "too-large"; readonly message: string };

export type FileWriteResult = { readonly type: "written" } | { readonly type: "refused"; readonly message: string };

export interface WorkspaceShell {
  run(command: string, act: ShellOptions): Promise<ShellResult>;
}

export interface ShellOptions {
  readonly signal: AbortSignal;
  /** Milliseconds after which the whole process group is ended; none: until it ends by itself. */
  readonly timeoutMs?: number;
  /** What comes from it, both streams in the order of arrival. */
  readonly onOutput: (chunk: Uint8Array) => void;
  /** The only hosts this command may reach; [] for none. Absent: each host is decided by `permitHost`. */
  readonly hosts?: readonly string[];
  /** Environment variables for this command alone. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Files of the real home shown to this command alone, e.g. "~/.npmrc" as it is. */
  readonly credentialFiles?: readonly string[];
  /** Called when a connection ends or is refused. */
  readonly onConnection?: (connection: NetworkConnection) => void;
}

/** A connection of a sandboxed command, once it has ended. */
export interface NetworkConnection {
  readonly host: string;
  readonly port: number;
  readonly outcome: "allowed" | "refused";
  /** Why it was refused or broke off. */
  readonly why?: string;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

/** The result of opening a port between the sandbox and the user's machine. */
export type PortResult = { readonly type: "open" } | { readonly type: "failed"; readonly why: string };

export type ShellResult =
  | { readonly type: "ended"; readonly exitCode: number }
  | { readonly type: "killed"; readonly cause: "signal" | "timeout" | "abort"; readonly message: string }
  | { readonly type: "not-started"; readonly message: string };

/** Looking for files and for what stands in them; ignored files are left out unless a path names them. */
export interface WorkspaceSearch {
  /** The names in a folder, sorted; folders end in a slash. */
  list(path: string, act: SearchOptions): Promise<SearchResult<FolderEntry>>;
  /** Paths under a folder that a glob fits, relative to it, the newest first. */
  find(wish: FindQuery, act: SearchOptions): Promise<SearchResult<string>>;
  grep(wish: GrepQuery, act: SearchOptions): Promise<SearchResult<GrepHit>>;
}

export interface SearchOptions extends PathOptions {
  readonly signal: AbortSignal;
  /** No more than so many are looked for. */
  readonly maxResults: number;
  /** Files that are passed by, asked with where each lies in truth. */
  readonly isExcluded?: ((path: string) => boolean) | undefined;
}

export type SearchResult<Each> =
  /** `isAll` is false where more were there than asked for. */
  | { readonly type: "found"; readonly items: readonly Each[]; readonly isComplete: boolean }
  | { readonly type: "missing" | "refused"; readonly message: string };

export interface FolderEntry {
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
  /** Of a file. */
  readonly bytes?: number;
}

export interface FindQuery {
  readonly folder: string;
  readonly glob: string;
  /** As they are come upon, and none is looked at by itself: for very many. Else the newest come first. */
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
  /** Lines pass it before they are cut: half a secret looks like none. */
  readonly redaction?: Redaction | undefined;
}

export interface GrepHit {
  /** Relative to the path that was searched, or its name where that is a file. */
  readonly path: string;
  readonly line: number;
  readonly text: string;
  /** A line around a hit. */
  readonly isContext: boolean;
}

/** What is kept beside a session: output too long for a context, each piece named by its content and opened by its handle. */
export interface BlobStore {
  keep(bytes: Uint8Array): Promise<BlobWriteResult>;
  /** Those whose hash begins with these digits. */
  findByPrefix(digits: string): Promise<FindBlobsResult>;
  /** For what comes piece by piece and is too much to be held in memory. */
  createWriter(): BlobWriter;
  /** A page of one; `size` is that of the whole. */
  read(hash: string, range: { readonly start: number; readonly end: number }): Promise<ReadBlobResult>;
}

export interface BlobWriter {
  /** Takes a copy before it comes back. Beyond the quota nothing more is taken. */
  write(chunk: Uint8Array): void;
  keep(): Promise<BlobWriteResult>;
  /** Nothing of it stays. Harmless after `keep`. */
  drop(): void;
}

export type BlobWriteResult =
  /** `isWhole` is false where the quota was reached: the beginning was kept. */
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
  /** Arguments with the true values in them, for the tool that needs them and for nobody else. */
  restore<Value>(value: Value): Promise<RestoreSecretsResult<Value>>;
  /** The placeholders that stand in it, each once. */
  listPlaceholders(value: unknown): readonly string[];
  /** For a text that comes in pieces. */
  stream(): RedactionStream;
  /** What was found since this was asked last. */
  takeFindings(): readonly SecretFinding[];
}

export type RestoreSecretsResult<Value> =
  | { readonly type: "restored"; readonly value: Value }
  /** Of these nobody knows the value any more: they were seen before the program was started again. */
  | { readonly type: "unknown"; readonly placeholders: readonly string[] };

/** Pieces in, pieces out; however it is cut, the same comes out. */
export interface RedactionStream {
  /** What can be passed on now. */
  write(text: string): string;
  /** The rest. */
  end(): string;
}

export interface SecretFinding {
  /** What kind it is, for people: "GitHub token", or the name of the variable that holds it. */
  readonly family: string;
  readonly placeholder: string;
}

/**
 * Every model call and every tool call goes through it: locally it just runs, hosted it is recorded and not run twice.
 * `id` is that of the entry which the act leaves in the log: the same when the same run is played again.
 */
export type RunStep = <Outcome>(id: string, run: () => Promise<Outcome>) => Promise<Outcome>;

export const runStepDirectly: RunStep = (_, run) => run();

/** Opens addresses. It must never reach an address that only its own machine can reach. */
export interface Web {
  open(url: string, act: WebOptions): Promise<WebResult>;
}

export interface WebOptions {
  readonly signal: AbortSignal;
  /** No more than so many are taken of a page, counted as unpacked. */
  readonly maxBytes: number;
}

export type WebResult = WebPage | WebRefused | WebFailed;

export interface WebPage {
  readonly type: "page";
  /** Where it was found in the end, after all redirects. */
  readonly url: string;
  readonly status: number;
  /** As the server calls it, with its charset; null where it does not say. */
  readonly contentType: string | null;
  readonly bytes: Uint8Array;
  /** False where more was there than taken. */
  readonly isComplete: boolean;
}

/** We do not go there, whoever asks. */
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

/** We went, and nothing came of it. */
export interface WebFailed {
  readonly type: "failed";
  readonly why: "unresolved" | "unreachable" | "timeout" | "aborted" | "broken";
  readonly message: string;
}
