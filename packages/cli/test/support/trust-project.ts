/** A project and two homes on disk, for tests on what is trusted. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { noRedaction } from "@pith/context/host";
import type { FolderTrust } from "@pith/host/trust/folder-trust";
import { trustShownFiles } from "../../src/subcommands/trust.ts";
import { checkTrust } from "../../src/trust/trust.ts";
import type { SaveTrustResult } from "../../src/trust/trust-file.ts";

export class TrustProject {
  readonly base: string = realpathSync(mkdtempSync(join(tmpdir(), "pith-trust-")));
  readonly root: string = join(this.base, "repo");
  readonly userHome: string = join(this.base, "user");
  readonly home: string = join(this.base, "user/.pith");

  constructor() {
    mkdirSync(join(this.root, ".git"), { recursive: true });
    mkdirSync(this.home, { recursive: true, mode: 0o700 });
  }

  /** Files by their paths in the project. */
  place(files: Readonly<Record<string, string | Uint8Array>>): void {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(this.base, path)), { recursive: true });
      writeFileSync(join(this.base, path), content);
    }
  }

  async check(from = "repo", always = false): Promise<FolderTrust> {
    return await checkTrust({
      cwd: join(this.base, from),
      home: this.home,
      userHome: this.userHome,
      isTrustedForRun: always,
    });
  }

  async trust(from = "repo"): Promise<SaveTrustResult> {
    return await trustShownFiles((await this.check(from)).project, { home: this.home, redaction: noRedaction });
  }

  remove(): void {
    rmSync(this.base, { recursive: true });
  }
}

export function names({ project }: FolderTrust): readonly string[] {
  return project.files.map(({ name }) => name);
}
