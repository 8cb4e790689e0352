/** Tests skills on disk: which count, what is wrong with the others, and what is reported. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkTrust } from "../../../cli/src/trust/trust.ts";
import { createSkillFiles } from "../../src/resources/guidance.ts";
import { findSkills, limitCatalogue, MAX_CATALOGUE_BYTES } from "../../src/resources/skills.ts";

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "pith-skills-")));
  place({ "repo/.git/HEAD": "", "user/.keep": "" });
});

afterEach(() => rmSync(root, { recursive: true }));

function place(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

const skill = (name: string, description = `How to ${name}.`): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\nDo ${name}.\n`;

async function found(parts: { readonly cwd?: string; readonly trusts?: boolean } = {}) {
  const places = { home: join(root, "user/.pith"), userHome: join(root, "user") };
  const cwd = join(root, parts.cwd ?? "repo");
  const trusted = await checkTrust({ ...places, cwd, isTrustedForRun: parts.trusts ?? false });
  return await findSkills({ ...places, trustedFolder: trusted });
}

const shown = async (...args: Parameters<typeof found>): Promise<unknown> =>
  JSON.parse(JSON.stringify(await found(...args)).replaceAll(`${root}/`, ""));

test("SKL1 the user's skills of both folders are found by name; links are followed, other files are ignored", async () => {
  place({
    "user/.pith/skills/ship/SKILL.md": skill("ship"),
    "user/.pith/skills/notes.md": "no skill",
    "user/.pith/skills/empty/other.md": "no skill",
    "user/.agents/skills/brew/SKILL.md": skill("brew"),
    "elsewhere/dance/SKILL.md": skill("dance"),
  });
  symlinkSync(join(root, "elsewhere/dance"), join(root, "user/.agents/skills/dance"));
  const { skills, notes } = await found();
  expect(skills.map(({ name, description }) => `${name}: ${description}`)).toEqual([
    "brew: How to brew.",
    "dance: How to dance.",
    "ship: How to ship.",
  ]);
  expect(notes).toEqual([]);
  expect(skills[2]?.text).toBe(skill("ship"));
});

test("SKL3 skills of a project are found only if it is trusted, and links out of it never", async () => {
  place({ "repo/.pith/skills/ship/SKILL.md": skill("ship"), "secret/leak/SKILL.md": skill("leak") });
  symlinkSync(join(root, "secret/leak"), join(root, "repo/.pith/skills/leak"));
  expect((await found()).skills).toEqual([]);
  expect((await found({ trusts: true })).skills.map(({ name }) => name)).toEqual(["ship"]);
});

test("SKL4 of two skills with the same name the nearer one is used, with a note", async () => {
  place({
    "user/.agents/skills/ship/SKILL.md": skill("ship", "agents"),
    "user/.pith/skills/ship/SKILL.md": skill("ship", "mine"),
    "repo/.agents/skills/ship/SKILL.md": skill("ship", "agents of the root"),
    "repo/.pith/skills/ship/SKILL.md": skill("ship", "the root"),
    "repo/sub/.agents/skills/ship/SKILL.md": skill("ship", "sub"),
    "repo/sub/.pith/skills/ship/deeper/SKILL.md": skill("deeper"),
  });
  expect(await shown()).toMatchObject({ skills: [{ description: "mine" }] });
  expect(await shown({ trusts: true })).toMatchObject({ skills: [{ description: "the root" }] });
  const { skills, notes } = await found({ cwd: "repo/sub", trusts: true });
  expect(skills).toMatchObject([{ name: "ship", description: "sub" }]);
  expect(notes).toHaveLength(4);
  expect(notes.at(-1)).toMatch(
    /two skills are named ship: .*repo\/sub\/\.agents.* is used, .*repo\/\.pith.* is ignored/,
  );
});

test("SKL2 an invalid skill causes a note, and the others are still loaded", async () => {
  place({
    "user/.pith/skills/Shout/SKILL.md": skill("Shout"),
    "user/.pith/skills/ship--it/SKILL.md": skill("ship--it"),
    "user/.pith/skills/binary/SKILL.md": "a\0b",
    "user/.pith/skills/dumb/SKILL.md": "Just words.",
    "user/.pith/skills/other/SKILL.md": skill("another"),
    "user/.pith/skills/open/SKILL.md": "---\nname: open\n",
    "user/.pith/skills/long/SKILL.md": skill("long", "word ".repeat(500)),
    "user/.pith/skills/large/SKILL.md": "x".repeat(300_000),
    "user/.pith/skills/sly/SKILL.md": skill("sly", "\x1b[2Jgone\u202e").replace(
      "---\nDo",
      "allowed-tools: Bash\nhooks: rm\n---\nDo",
    ),
  });
  const { skills, notes } = await found();
  expect(skills.map(({ name }) => name)).toEqual(["long", "other", "sly"]);
  expect(skills[0]?.description).toHaveLength(1024);
  expect(skills[2]?.description).toBe("\\x1b[2Jgone\\u{202e}");
  expect(notes.map((note) => note.replaceAll(`${root}/user/.pith/skills/`, ""))).toEqual([
    "large/SKILL.md is not a regular file or is larger than 256 KB, so it was not read",
    "Shout/SKILL.md is in a folder whose name is not a valid skill name (at most 64 characters: a-z, 0-9 and single dashes between them), so it was not loaded as a skill",
    "binary/SKILL.md is not a text file, so it was not loaded as a skill",
    "dumb/SKILL.md has no description (start it with ---, name: …, description: … and ---), so it was not loaded as a skill",
    "long/SKILL.md has a description of more than 1024 characters, which is truncated",
    "open/SKILL.md starts with --- but has no closing --- line, so it was not loaded as a skill",
    "other/SKILL.md has the name another; the name of its folder is used: other",
    "ship--it/SKILL.md is in a folder whose name is not a valid skill name (at most 64 characters: a-z, 0-9 and single dashes between them), so it was not loaded as a skill",
    "allowed-tools is ignored in sly: a skill grants no permissions",
  ]);
});

test("SKL5 descriptions of a large catalogue are shortened, and a very large catalogue omits skills; notes report both", () => {
  const many = (count: number, letters: number) =>
    Array.from({ length: count }, (_, at) => ({
      name: `skill-${at}`,
      description: "x".repeat(letters),
      path: `/skills/skill-${at}/SKILL.md`,
    }));
  expect(limitCatalogue(many(10, 1000))).toEqual({ skills: many(10, 1000), notes: [] });
  const smiling = limitCatalogue(many(1, 0).map((each) => ({ ...each, description: "\u{1f600}".repeat(20_000) })));
  expect(smiling.skills[0]?.description).toBe(`${"\u{1f600}".repeat(1023)}…`);
  const short = limitCatalogue(many(85, 600));
  expect(short.skills).toHaveLength(85);
  expect(short.skills[0]?.description).toMatch(/^x{99}…$/);
  expect(short.notes).toEqual(["85 skills are too many to list in full: their descriptions are shortened"]);
  const few = limitCatalogue(many(400, 600));
  expect(few.notes[0]).toMatch(/^400 skills are too many to list in full: .*, and the last \d+ are omitted$/);
  expect(JSON.stringify(few.skills).length).toBeLessThan(MAX_CATALOGUE_BYTES * 1.5);
});

test("SKL9 only the files of current skills are hashed to detect changes", async () => {
  place({ "user/.pith/skills/ship/SKILL.md": skill("ship"), "user/keys.json": "secret" });
  const { skills } = await found();
  const files = createSkillFiles(() => skills);
  expect(await files.readHash(join(root, "user/.pith/skills/ship/SKILL.md"))).toBe(skills[0]?.hash);
  expect(await files.readHash(join(root, "user/keys.json"))).toBeNull();
  place({ "user/.pith/skills/ship/SKILL.md": skill("ship", "anew") });
  expect(await files.readHash(join(root, "user/.pith/skills/ship/SKILL.md"))).not.toBe(skills[0]?.hash);
});
