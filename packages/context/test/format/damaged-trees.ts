/** D10: files with valid JSON and contradictory content: cycles, duplicate ids, missing parents, wrong headers, wrong fields. */

import { malformedLines } from "./malformed-lines.ts";
import { chain, type DamagedFile, file, note, ourHeader, piHeader, withTrailers } from "./specimen.ts";

const [e1 = "", e2 = "", e3 = ""] = chain(3);
const compaction = '{"type":"compaction","id":"c","parentId":"e2","timestamp":"t","summary":"s","tokensBefore":1,';

// The bytes at which the second and the third line behind the header stand, if names that tell a place have three digits.
const secondAt = file(piHeader, note("gap-before-000", "gap-before-000")).length;
const thirdAt = file(piHeader, note("e1", null), note("e1~000", "e1")).length;

const circles: readonly DamagedFile[] = [
  {
    name: "an entry that is its own parent",
    bytes: file(piHeader, note("e1", "e1")),
    damage: "parent-cycle@2",
    entries: "(gap-before-0) e1",
  },
  {
    name: "an entry that is its own parent, after others",
    bytes: file(piHeader, e1, note("e2", "e2"), e3),
    damage: "parent-cycle@3",
    entries: "e1 (gap-before-1) e2 e3",
  },
  {
    name: "a circle of two",
    bytes: file(piHeader, e1, note("e2", "e3"), note("e3", "e2")),
    damage: "out-of-order@3 parent-cycle@4",
    entries: "e1 e2 (gap-before-2) e3",
    branch: "e1 (gap-before-2) e3",
  },
  {
    name: "a circle of three",
    bytes: file(piHeader, note("e1", "e3"), e2, e3),
    damage: "out-of-order@2 parent-cycle@3",
    entries: "e1 (gap-before-1) e2 e3",
    branch: "(gap-before-1) e2 e3",
  },
  {
    name: "two circles",
    bytes: file(piHeader, note("a1", "a2"), note("a2", "a1"), note("b1", "b2"), note("b2", "b1")),
    damage: "out-of-order@2 parent-cycle@3 out-of-order@4 parent-cycle@5",
    entries: "a1 (gap-before-1) a2 b1 (gap-before-3) b2",
    branch: "(gap-before-1) a2 (gap-before-3) b2",
  },
  {
    name: "a child of a circle",
    bytes: file(piHeader, e1, note("e2", "e3"), note("e3", "e2"), note("e4", "e2")),
    damage: "out-of-order@3 parent-cycle@4",
    entries: "e1 e2 (gap-before-2) e3 e4",
    branch: "e1 (gap-before-2) e3 e2 e4",
  },
  {
    name: "a child of a circle that comes before it",
    bytes: file(piHeader, note("e1", "e2"), note("e2", "e3"), note("e3", "e2")),
    damage: "out-of-order@2 out-of-order@3 parent-cycle@4",
    entries: "e1 e2 (gap-before-2) e3",
    branch: "(gap-before-2) e3",
  },
  {
    name: "a circle closed by a second entry with an id",
    bytes: file(piHeader, e1, e2, note("e1", "e2", ',"again":true'), e3),
    damage: "duplicate-id@4",
    entries: "e1 e2 e1~2 e3",
    branch: "e1 e2 e3",
  },
  {
    name: "a circle through a later line, closed by a second entry with an id",
    bytes: file(piHeader, note("e1", "e2"), e2, note("e1", "e2", ',"again":true')),
    damage: "out-of-order@2 parent-cycle@3 duplicate-id@4",
    entries: "e1 (gap-before-1) e2 e1~2",
    branch: "(gap-before-1) e2 e1~2",
  },
  {
    name: "a circle of lines with the ids of gaps",
    bytes: file(
      piHeader,
      note(`gap-before-${secondAt}`, "gap-before-000"),
      note("gap-before-000", `gap-before-${secondAt}`),
    ),
    damage: "out-of-order@2 parent-cycle@3",
    entries: "gap-before-1 (gap-before-1~) gap-before-000",
    branch: "(gap-before-1~) gap-before-000",
  },
];

const sharedIds: readonly DamagedFile[] = [
  {
    name: "two entries with one id",
    bytes: file(piHeader, e1, e2, note("e2", "e1", ',"other":true'), e3),
    damage: "duplicate-id@4",
    entries: "e1 e2 e2~2 e3",
    branch: "e1 e2~2 e3",
  },
  {
    name: "three entries with one id",
    bytes: file(piHeader, note("e1", null), note("e1", null, ',"n":2'), note("e1", "e1", ',"n":3')),
    damage: "duplicate-id@3 duplicate-id@4",
    entries: "e1 e1~1 e1~2",
    branch: "e1~1 e1~2",
  },
  {
    name: "an id that a second entry with an id would get",
    bytes: file(
      piHeader,
      note("e1", null),
      note(`e1~${thirdAt}`, "e1"),
      note("e1", `e1~${thirdAt}`, ',"n":2'),
      note("e5", `e1~${thirdAt}`),
    ),
    damage: "duplicate-id@4",
    entries: "e1 e1~2 e1~2~ e5",
    branch: "e1 e1~2 e5",
  },
  {
    name: "a second entry with an id, whose parent is lost",
    bytes: file(piHeader, e1, note("e1", "nobody", ',"n":2')),
    damage: "duplicate-id@3 missing-parent@3",
    entries: "e1 (nobody) e1~1",
  },
  { name: "the id of the session", bytes: file(piHeader, note("s1", null)), damage: "", entries: "s1" },
  {
    name: "ids that are inherited property names",
    bytes: file(piHeader, note("__proto__", null), note("constructor", "__proto__"), note("x", "toString")),
    damage: "missing-parent@4",
    entries: "__proto__ constructor (toString) x",
  },
];

const lostParents: readonly DamagedFile[] = [
  {
    name: "a parent that does not exist",
    bytes: file(piHeader, e1, note("e3", "e2")),
    damage: "missing-parent@3",
    entries: "e1 (e2) e3",
  },
  {
    name: "a first entry whose parent does not exist",
    bytes: file(piHeader, note("e3", "e2")),
    damage: "missing-parent@2",
    entries: "(e2) e3",
  },
  {
    name: "several children of one lost parent",
    bytes: file(piHeader, e1, note("a", "lost"), note("b", "lost"), note("c", "lost")),
    damage: "missing-parent@3 missing-parent@4 missing-parent@5",
    entries: "e1 (lost) a b c",
    branch: "e1 (lost) c",
  },
  {
    name: "a chain of two lost lines",
    bytes: file(piHeader, e1, note("e4", "e3")),
    damage: "missing-parent@3",
    entries: "e1 (e3) e4",
  },
  {
    name: "children of two lost parents",
    bytes: file(piHeader, e1, note("a", "lost"), note("b", "gone"), note("c", "lost")),
    damage: "missing-parent@3 missing-parent@4 missing-parent@5",
    entries: "e1 (lost) a (gone) b c",
    branch: "e1 (lost) c",
  },
  {
    name: "a parent without an id",
    bytes: file(piHeader, e1, note("e2", "")),
    damage: "missing-parent@3",
    entries: "e1 () e2",
  },
  {
    name: "a parent on a later line",
    bytes: file(piHeader, e2, e1),
    damage: "out-of-order@2",
    entries: "e2 e1",
    branch: "e1",
  },
];

const headers: readonly DamagedFile[] = [
  {
    name: "two headers",
    bytes: file(piHeader, e1, piHeader.replace("s1", "s2"), e2),
    damage: "second-header@3",
    entries: "e1 e2",
  },
  { name: "a header in the middle", bytes: file(e1, piHeader, e2), damage: "no-header@1", entries: "e1 e2" },
  { name: "a header at the end", bytes: file(e1, e2, piHeader), damage: "no-header@1", entries: "e1 e2" },
  { name: "no header", bytes: file(e1, e2), damage: "no-header@1", entries: "e1 e2" },
  { name: "only a header", bytes: file(piHeader), damage: "", entries: "" },
  {
    name: "a header whose id is a number",
    bytes: file(piHeader.replace('"s1"', "1"), e1),
    damage: "no-header@1 second-header@1",
    entries: "e1",
  },
  {
    name: "a header of our own with another format",
    bytes: file(ourHeader.replace("1}}", "2}}"), e1),
    damage: "future-version@1",
    entries: "e1",
    future: true,
  },
  {
    name: "a version that is not a number",
    bytes: file(piHeader.replace("3,", '"three",'), e1),
    damage: "",
    entries: "e1",
  },
  {
    name: "a version from the future",
    bytes: file(piHeader.replace("3,", "4,"), e1, '{"type":"leaf","id":"x","parentId":"e1"}'),
    damage: "future-version@1",
    entries: "e1 x",
    future: true,
  },
  {
    name: "a version from the far future",
    bytes: file(withTrailers(ourHeader.replace("3,", "99,"), e1)),
    damage: "future-version@1",
    entries: "e1",
    future: true,
  },
];

const firstKept: readonly DamagedFile[] = [
  {
    name: "a compaction that keeps an unknown entry",
    bytes: file(piHeader, e1, e2, `${compaction}"firstKeptEntryId":"lost"}`),
    damage: "missing-first-kept@4",
    entries: "e1 e2 c",
  },
  {
    name: "a compaction that keeps an entry of a later line",
    bytes: file(piHeader, e1, e2, `${compaction}"firstKeptEntryId":"e4"}`, note("e4", "c")),
    damage: "missing-first-kept@4",
    entries: "e1 e2 c e4",
  },
  {
    name: "a compaction that keeps an entry of another branch",
    bytes: file(piHeader, e1, note("x", "e1"), e2, `${compaction}"firstKeptEntryId":"x"}`),
    damage: "missing-first-kept@5",
    entries: "e1 x e2 c",
    branch: "e1 e2 c",
  },
  {
    name: "a compaction that keeps a lost entry keeps from the gap on",
    bytes: file(piHeader, e2, `${compaction}"firstKeptEntryId":"e1"}`),
    damage: "missing-parent@2",
    entries: "(e1) e2 c",
  },
  {
    name: "a compaction that stands before what it keeps, and is its descendant",
    bytes: file(piHeader, `${compaction}"firstKeptEntryId":"e1"}`, e1, e2),
    damage: "out-of-order@2",
    entries: "c e1 e2",
    branch: "e1 e2",
  },
  {
    name: "a compaction that keeps a number",
    bytes: file(piHeader, e1, e2, `${compaction}"firstKeptEntryId":7}`),
    damage: "missing-first-kept@4",
    entries: "e1 e2 c",
  },
  {
    name: "a compaction that keeps nothing",
    bytes: file(piHeader, e1, e2, `${compaction}"firstKeptEntryId":"c"}`),
    damage: "",
    entries: "e1 e2 c",
  },
];

export const damagedTrees: readonly DamagedFile[] = [
  ...circles,
  ...sharedIds,
  ...lostParents,
  ...headers,
  ...firstKept,
  ...malformedLines,
];
