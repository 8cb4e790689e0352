/** Which sessions are a sub-agent's. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Session } from "@pith/context";
import { createSession, nodeRuntime } from "@pith/context/node";
import { test } from "vitest";
import { buildResumeHint } from "../../src/app/session.ts";
import type { CliArgs } from "../../src/args/args.ts";
import { findSession } from "../../src/sessions/find-session.ts";
import { createSubAgentId } from "../../src/sessions/sub-agent-ids.ts";

test("AGT14 --continue never picks the session of a sub-agent, even if it is the newest in the folder", async () => {
  const home = mkdtempSync(join(tmpdir(), "pith-home-"));
  const place = { cwd: home, env: { PITH_HOME: home } };
  const other = createSubAgentId();
  for (const id of ["mine", other]) {
    const opened = await createSession({ ...place, id });
    if (opened.type !== "opened") throw new Error(opened.type);
    const session = await Session.open(opened.store, nodeRuntime);
    const { resumeHint } = buildResumeHint({ session: { type: "new" }, overrides: {} } as CliArgs, session);
    assert.ok(resumeHint?.endsWith(id === "mine" ? "-p -c" : `-p --session ${other.slice(0, 8)}`), resumeHint ?? "");
    await session.append({ type: "message", message: { role: "user", content: "Look.", timestamp: 0 } });
    await opened.store.close();
  }
  const found = await findSession("last", { cwd: home, home });
  assert.equal(found.type === "found" && found.id, "mine");
  // Lists show the first eight letters of an id, and these must do.
  const shown = await findSession(other.slice(0, 8), { cwd: home, home });
  rmSync(home, { recursive: true });
  assert.equal(shown.type === "found" && shown.id, other);
});
