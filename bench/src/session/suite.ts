/** `pnpm bench session`: what opening, appending and listing cost, beside the bare limit and beside pi, each in fresh processes. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Figures, Settings, Suite } from "../suite.ts";
import { appendFigures } from "./append.ts";
import { listFigures } from "./list.ts";
import { openFigures } from "./open.ts";
import type { Scene } from "./scene.ts";

export const sessionSuite: Suite = {
  name: "session",
  about: "open, move, append and list sessions of 100,000 and 1,000,000 entries on disk, beside pi and the bare limit",
  run: runSession,
};

const workspace = join(import.meta.dirname, "../../..");
const home = join(workspace, "packages/context");

async function runSession(settings: Settings): Promise<Figures> {
  settings.say("building the package");
  execFileSync(process.execPath, [join(workspace, "node_modules/typescript/bin/tsc"), "-b", home], {
    stdio: "inherit",
  });
  const scene: Scene = { folder: mkdtempSync(join(tmpdir(), "pith-bench-")), home, settings };
  try {
    return { ...(await openFigures(scene)), ...(await appendFigures(scene)), ...(await listFigures(scene)) };
  } finally {
    rmSync(scene.folder, { recursive: true });
  }
}
