/** Where agents are looked for, and which of two counts. */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "vitest";
import { trustedFolder } from "../../../src/home/trust/trusted-folder.ts";
import { findAgents } from "../../../src/sub-agents/finding/find-agents.ts";
import { areWantedHere, DEPTH } from "../../../src/sub-agents/wanted-here.ts";

let [home, project] = ["", ""];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pith-home-"));
  project = mkdtempSync(join(tmpdir(), "pith-work-"));
  mkdirSync(join(home, "agents"));
  mkdirSync(join(project, ".pith/agents"), { recursive: true });
});
afterEach(() => {
  for (const folder of [home, project]) rmSync(folder, { recursive: true });
});

const written = (name: string, text: string): string => `---\nname: ${name}\ndescription: d\n---\n${text}\n`;
const folder = (always: boolean) => trustedFolder({ cwd: project, home, userHome: home, always });

test("AGT2 of two with one name the user's own counts, and a note says so; a project's counts where it is trusted", async () => {
  writeFileSync(join(home, "agents/scout.md"), written("scout", "mine"));
  writeFileSync(join(project, ".pith/agents/scout.md"), written("scout", "theirs"));
  writeFileSync(join(project, ".pith/agents/other.md"), written("other", "theirs"));
  const trusted = await findAgents({ home, trusted: await folder(true) });
  assert.deepEqual(
    trusted.agents.map(({ name, text }) => `${name} ${text}`),
    ["other theirs", "scout mine"],
  );
  assert.match(trusted.notes[0] ?? "", /there are two agents scout: .*agents.scout\.md counts, .* does not/);
  const untrusted = await findAgents({ home, trusted: await folder(false) });
  assert.deepEqual(
    untrusted.agents.map(({ name }) => name),
    ["scout"],
  );
});

test("AGT2 no more than 50 agents count", async () => {
  for (let at = 0; at < 55; at += 1) writeFileSync(join(home, `agents/a${at}.md`), written(`a${at}`, "text"));
  const { agents, notes } = await findAgents({ home });
  assert.deepEqual([agents.length, notes], [50, ["there are more than 50 agents; the others are left out"]]);
});

test("AGT3 where there are no agents nothing is loaded, and a sub-agent starts none", () => {
  const place = { cwd: project, home, environment: {}, choices: {} };
  assert.equal(areWantedHere(place), true);
  assert.equal(areWantedHere({ ...place, environment: { [DEPTH]: "1" } }), false);
  rmSync(join(home, "agents"), { recursive: true });
  assert.equal(areWantedHere(place), false);
});
