/** Tests context/loaded-skills.ts: skills are found in a branch, named for a summary, and stored by each compaction. */

import { expect, test } from "vitest";
import {
  collectLoadedSkills,
  findMissingSkills,
  type LoadedSkill,
  readLoadedSkill,
} from "../../src/context/loaded-skills.ts";
import type { Entry } from "../../src/entry.ts";
import { collectLedger } from "../../src/ledger/collect-ledger.ts";
import { loadBranch } from "../../src/session/loaded-branch.ts";
import { renderTranscript } from "../../src/summary/transcript.ts";
import { collectTurnNotes } from "../../src/summary-parts/turn-notes.ts";
import { story } from "../../src/testing/story.ts";
import { compactSmall, createSession, repeatWord } from "../support/small-session.ts";

const hash = (digit: string): string => digit.repeat(64);

function skill(name: string, more: Partial<LoadedSkill> = {}): LoadedSkill {
  return { kind: "skill", name, path: `/skills/${name}/SKILL.md`, hash: hash("a"), ...more };
}

/** The entry of a story, with a skill in its details. */
function addSkill(entries: readonly Entry[], id: string, reference: LoadedSkill): readonly Entry[] {
  return entries.map((entry) => {
    if (entry.id !== id) return entry;
    const details = { pith: { reference } };
    if (entry.type === "custom_message") return { ...entry, details };
    return { ...entry, message: { ...Object(Object(entry).message), details } } as Entry;
  });
}

const read = story(
  "user: deploy it",
  "calls: read path=/skills/deploy/SKILL.md",
  "result: Always say please. error: never 1234567 https://deploy.example/x",
  "says: done",
);

test("SKL6 the summarizer, the ledger and the notes get the name of a skill instead of its text", () => {
  const entries = addSkill(read, "e3", skill("deploy"));
  expect(readLoadedSkill(entries[2] as Entry)).toEqual(skill("deploy"));
  const texts = renderTranscript(entries, { edits: [] }).map(({ text }) => text);
  expect(texts[2]).toContain("the skill deploy was loaded here from /skills/deploy/SKILL.md");
  expect(texts.join()).not.toContain("please");
  const ledger = collectLedger(entries);
  expect(ledger.files).toMatchObject([{ path: "/skills/deploy/SKILL.md", did: "read" }]);
  expect(JSON.stringify(ledger)).not.toMatch(/please|deploy\.example|1234567/);
  const noted = addSkill(story("note: Always say please.", "says: done"), "e1", skill("deploy"));
  expect(JSON.stringify(collectTurnNotes(noted))).toContain("the skill deploy");
  expect(JSON.stringify(collectTurnNotes(noted))).not.toContain("please");
});

test("SKL6 invalid skill details change nothing", () => {
  const wrong = [
    { ...skill("deploy"), kind: "rule" },
    { ...skill("deploy"), hash: "short" },
    { ...skill("deploy"), name: "../../etc" },
    { ...skill("deploy"), path: 7 },
  ];
  for (const each of wrong)
    expect(readLoadedSkill(addSkill(read, "e3", each as unknown as LoadedSkill)[2] as Entry)).toBeNull();
  expect(renderTranscript(read, { edits: [] })[2]?.text).toContain("please");
});

test("SKL7 the newest skill of each name counts; loading some lines keeps the full text, and a removed skill is gone", () => {
  let entries = story("note: one", "note: two", "note: one again", "note: a part of two", "note: three", "drops e5");
  entries = addSkill(entries, "e1", skill("one"));
  entries = addSkill(entries, "e2", skill("two"));
  entries = addSkill(entries, "e3", skill("one", { hash: hash("b") }));
  entries = addSkill(entries, "e4", skill("two", { part: true }));
  entries = addSkill(entries, "e5", skill("three"));
  expect(collectLoadedSkills(loadBranch(entries))).toEqual([
    { ...skill("one", { hash: hash("b") }), entryId: "e3" },
    { ...skill("two"), entryId: "e2" },
  ]);
  expect(findMissingSkills(loadBranch(entries))).toEqual([]);
});

test("SKL7 every compaction stores the skills loaded before it, and a skill shortened in the tail is missing", async () => {
  const session = await createSession("user: go on", "says: yes");
  const reference = skill("deploy");
  const details = { pith: { reference } };
  await session.append({
    type: "custom_message",
    customType: "pith.skill",
    content: repeatWord(100, "body"),
    display: false,
    details,
  });
  const [loaded] = collectLoadedSkills(session.branch);
  for (let round = 0; round < 3; round++) {
    await session.append({
      type: "custom_message",
      customType: "out",
      content: repeatWord(900, `r${round}`),
      display: true,
    });
    expect(await compactSmall(session, { reason: "due" })).toMatchObject({ type: "compacted" });
    expect(findMissingSkills(session.branch)).toEqual([{ ...reference, entryId: loaded?.entryId }]);
  }
  expect(loaded?.entryId).toBeDefined();
  await session.append({
    type: "custom_message",
    customType: "pith.skill",
    content: repeatWord(2_000),
    display: false,
    details,
  });
  expect(findMissingSkills(session.branch)).toEqual([]);
  expect(await compactSmall(session, { reason: "asked" })).toMatchObject({ type: "compacted" });
  expect(findMissingSkills(session.branch)).toHaveLength(1);
});

test("SKL6 there is nothing to compact if only a skill was added since", async () => {
  const session = await createSession("user: go on", "says: yes");
  await session.append({ type: "custom_message", customType: "out", content: repeatWord(900), display: true });
  expect(await compactSmall(session, { reason: "due" })).toMatchObject({ type: "compacted" });
  const details = { pith: { reference: skill("deploy") } };
  await session.append({ type: "custom_message", customType: "pith.skill", content: "Body", display: false, details });
  expect(await compactSmall(session, { reason: "asked" })).toEqual({ type: "nothing-to-do", why: "already-compacted" });
});
