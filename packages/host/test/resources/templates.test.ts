/** Prompt templates: which there are, and what becomes of the words behind their names. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkTrust } from "../../../cli/src/trust/trust.ts";
import type { FoundSkill } from "../../src/resources/skills.ts";
import { createTemplates, expandTemplate, findTemplates } from "../../src/resources/templates.ts";

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "pith-prompts-")));
  place({ "repo/.git/HEAD": "", "home/.keep": "" });
});

afterEach(() => rmSync(root, { recursive: true }));

function place(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

async function places(always = false) {
  const home = join(root, "home");
  const trusted = await checkTrust({ cwd: join(root, "repo"), home, userHome: root, isTrustedForRun: always });
  return { home, trustedFolder: trusted, reservedNames: ["compact", "new"] };
}

test.each([
  ["Fix $1 in $2.", 'the "login page" now', "Fix the in login page."],
  ["All: $@ / $ARGUMENTS", 'a "b c"', 'All: a "b c" / a "b c"'],
  [`\${@:2} and \${@:2:1}`, "a b c d", "b c d and b"],
  ["$1 $2 $9", "only", "only  "],
  ["Costs $10 and $x and $$", "a", "Costs $10 and $x and $$\n\na"],
  ["$1 then $2", "'$2' $1", "$2 then $1"],
  ["No place.", "some words", "No place.\n\nsome words"],
  ["No place.", "", "No place."],
  ["Say $1", '"open', 'Say "open'],
  ["Say $ARGUMENTSX", "a", "Say $ARGUMENTSX\n\na"],
])("TPL2 the template %j with the arguments %j expands to %j", (text, words, expanded) => {
  expect(expandTemplate(text, words)).toBe(expanded);
});

test("TPL1 TPL3 templates of the user and of a trusted project are found; the nearer one wins, a command wins over both, with notes", async () => {
  place({
    "home/prompts/review.md": "---\ndescription: Looks for faults\nargument-hint: <files>\n---\nReview $@.",
    "home/prompts/compact.md": "Never said.",
    "home/prompts/plain.md": "First line.\nSecond line.",
    "home/prompts/.hidden.md": "x",
    "home/prompts/two words.md": "x",
    "home/prompts/empty.md": "---\ndescription: x\n---\n",
    "home/prompts/notes.txt": "x",
    "repo/.pith/prompts/review.md": "Ours: $@.",
    "repo/.pith/prompts/deep/er.md": "x",
  });
  const own = await findTemplates(await places());
  expect(own.templates.map(({ name, description, argumentHint }) => [name, description, argumentHint])).toEqual([
    ["plain", "First line.", ""],
    ["review", "Looks for faults", "<files>"],
  ]);
  expect(own.notes.map((note) => note.replace(`${root}/home/prompts/`, ""))).toEqual([
    "empty.md contains no text, so it was not loaded as a prompt template",
    "two words.md has an invalid name (use letters, digits and dashes), so it was not loaded as a prompt template",
    "compact.md is not used, because /compact is a command; rename the template",
  ]);
  const { templates, notes } = await findTemplates(await places(true));
  expect(templates.find(({ name }) => name === "review")?.text).toBe("Ours: $@.");
  expect(notes.at(-1)).toMatch(/two prompt templates are named \/review: .*repo.* is used, .*home.* is ignored/);
});

test("TPL1 SKL10 WORD7 a template name expands, skill:name attaches the skill, and any other name returns null", async () => {
  place({ "home/prompts/review.md": "Review $@.", "home/prompts/new.md": "x" });
  const ship = { name: "ship", description: "How to ship.", path: "/s", text: "Do.", hash: "0", wantsTools: false };
  const attached: FoundSkill[] = [];
  const notes: string[] = [];
  const where = await places();
  const templates = createTemplates({
    agent: { attachSkill: async (skill) => void attached.push(skill as FoundSkill) },
    getSkills: () => [ship],
    getSources: () => where,
    notify: (line) => void notes.push(line),
  });
  expect(await templates.expand("review", "it")).toEqual([
    {
      type: "text",
      text: "Review it.",
      pith: { attachment: { kind: "template", name: "review", typed: "/review it" } },
    },
  ]);
  expect(await templates.expand("skill:ship", "to Mars")).toEqual([
    {
      type: "text",
      text: "Follow the skill ship.\n\nto Mars",
      pith: { attachment: { kind: "skill", name: "ship", typed: "/skill:ship to Mars" } },
    },
  ]);
  expect(attached).toEqual([ship]);
  expect(await templates.expand("skill:sink", "")).toBeNull();
  expect(await templates.expand("ship", "")).toBeNull();
  expect(await templates.list()).toEqual([
    { name: "review", description: "Review $@." },
    { name: "skill:ship", description: "How to ship." },
  ]);
  expect(notes).toHaveLength(1);
});
