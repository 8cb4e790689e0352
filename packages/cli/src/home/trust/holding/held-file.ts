/** What a project holds of what can run: each file read once, so that what was trusted is what is used. */

import type { Kind } from "./what-can-run.ts";

export interface HeldFile {
  readonly kind: Kind;
  /** The folder of the project in which it counts: the parent of `.pith`, `.agents` or `.mcp.json`. */
  readonly folder: string;
  readonly path: string;
  /** From the project's root, with slashes: `.pith/settings.json`. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** SHA-256 of the bytes, in hexadecimal digits. */
  readonly hash: string;
}

/** Never used, trusted or not. */
export interface UnreadFile {
  readonly name: string;
  /** As the end of a sentence that begins with the name: `leads out of the project`. */
  readonly why: string;
}

export interface Holdings {
  /** Links followed. */
  readonly root: string;
  /** From the root down to where one works. */
  readonly folders: readonly string[];
  /** Those of the root first, those of the nearest folder last. */
  readonly files: readonly HeldFile[];
  readonly unread: readonly UnreadFile[];
}
