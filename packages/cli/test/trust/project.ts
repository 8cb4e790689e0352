/** A project and two homes on disk, for tests on what is trusted. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { noRedaction } from "@pith/context/host";
import { trustShownFiles } from "../../src/subcommands/trust.ts";
import { checkTrust, type FolderTrust } from "../../src/trust/trust.ts";
import type { SaveTrustResult } from "../../src/trust/trust-file.ts";

export class Project {
  readonly ground: string = realpathSync(mkdtempSync(join(tmpdir(), "pith-trust-")));
  readonly root: string = join(this.ground, "repo");
  readonly userHome: string = join(this.ground, "user");
  readonly home: string = join(this.ground, "user/.pith");

  constructor() {
    mkdirSync(join(this.root, ".git"), { recursive: true });
    mkdirSync(this.home, { recursive: true, mode: 0o700 });
  }

  /** Files by their paths below the ground. */
  place(files: Readonly<Record<string, string | Uint8Array>>): void {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(this.ground, path)), { recursive: true });
      writeFileSync(join(this.ground, path), content);
    }
  }

  async seen(from = "repo", always = false): Promise<FolderTrust> {
    return await checkTrust({
      cwd: join(this.ground, from),
      home: this.home,
      userHome: this.userHome,
      isTrustedForRun: always,
    });
  }

  async trust(from = "repo"): Promise<SaveTrustResult> {
    return await trustShownFiles((await this.seen(from)).project, { home: this.home, redaction: noRedaction });
  }

  clear(): void {
    rmSync(this.ground, { recursive: true });
  }
}

export function names({ project }: FolderTrust): readonly string[] {
  return project.files.map(({ name }) => name);
}
