/** D9: chains in which lines are replaced, removed, doubled and swapped, at the start, in the middle and at the end. */

import { chain, type DamagedFile, file, ourHeader, piHeader, withTrailers } from "./specimen.ts";

/** The header is line 1, e1 is line 2. */
const ours = withTrailers(ourHeader, ...chain(6));
const pis = [piHeader, ...chain(6)];
const whole = "e1 e2 e3 e4 e5 e6";

export const damagedLines: readonly DamagedFile[] = [
  {
    name: "garbage instead of the header",
    bytes: file(replaced(ours, 1, "garbage")),
    damage: "damaged-header@1",
    entries: whole,
    branch: whole,
  },
  {
    name: "garbage instead of the first entry",
    bytes: file(replaced(ours, 2, "garbage")),
    damage: "not-json@2 missing-parent@3",
    entries: "(e1) e2 e3 e4 e5 e6",
  },
  {
    name: "garbage instead of an entry in the middle",
    bytes: file(replaced(ours, 4, "garbage")),
    damage: "not-json@4 missing-parent@5",
    entries: "e1 e2 (e3) e4 e5 e6",
  },
  {
    name: "garbage instead of an entry in the middle of pi's file",
    bytes: file(replaced(pis, 4, "\u{1f4a5}")),
    damage: "not-json@4 missing-parent@5",
    entries: "e1 e2 (e3) e4 e5 e6",
  },
  {
    name: "garbage instead of the last entry",
    bytes: file(replaced(ours, 7, "garbage")),
    damage: "not-json@7",
    entries: "e1 e2 e3 e4 e5 (gap-5)",
    branch: "e1 e2 e3 e4 e5",
  },
  {
    name: "two garbage lines apart",
    bytes: file(replaced(replaced(ours, 3, "garbage"), 5, "{{{")),
    damage: "not-json@3 missing-parent@4 not-json@5 missing-parent@6",
    entries: "e1 (e2) e3 (e4) e5 e6",
  },
  {
    name: "two adjacent garbage lines",
    bytes: file(replaced(replaced(ours, 4, "garbage"), 5, "garbage")),
    damage: "not-json@4 not-json@5 missing-parent@6",
    entries: "e1 e2 (gap-2) (e4) e5 e6",
  },
  {
    name: "garbage everywhere but at the end",
    bytes: file(
      ["", "", "", "", "", ""].map((_, at) => `garbage ${at}`),
      ours.slice(6),
    ),
    damage: "damaged-header@1 not-json@2 not-json@3 not-json@4 not-json@5 not-json@6 missing-parent@7",
    entries: "(gap-1) (gap-2) (gap-3) (gap-4) (e5) e6",
  },
  {
    name: "half of an entry with its id and parent",
    bytes: file(replaced(ours, 4, ours[3]?.slice(0, 60) ?? "")),
    damage: "not-json@4",
    entries: "e1 e2 (e3) e4 e5 e6",
  },
  {
    name: "half of an entry with its id only",
    bytes: file(replaced(pis, 4, '{"type":"custom","id":"e3","pare')),
    damage: "not-json@4",
    entries: "e1 e2 (e3) e4 e5 e6",
  },
  {
    name: "a changed letter in the middle",
    bytes: file(replaced(ours, 4, ours[3]?.replace("note", "nope") ?? "")),
    damage: "wrong-checksum@4",
    entries: "e1 e2 (e3) e4 e5 e6",
  },
  {
    name: "a changed letter in an id",
    bytes: file(replaced(ours, 4, ours[3]?.replace('"e3"', '"e9"') ?? "")),
    damage: "wrong-checksum@4 missing-parent@5",
    entries: "e1 e2 (e3) e4 e5 e6",
  },
  {
    name: "a changed letter in a parent",
    bytes: file(replaced(ours, 4, ours[3]?.replace('"e2"', '"e9"') ?? "")),
    damage: "wrong-checksum@4",
    entries: "e1 e2 (e3) e4 e5 e6",
  },
  {
    name: "a copy of another line instead of an entry",
    bytes: file(replaced(ours, 4, ours[1] ?? "")),
    damage: "duplicate-line@4 missing-parent@5",
    entries: "e1 e2 (e3) e4 e5 e6",
  },
  { name: "no header", bytes: file(ours.slice(1)), damage: "no-header@1", entries: whole },
  {
    name: "no first entry",
    bytes: file(without(ours, 2)),
    damage: "missing-parent@2",
    entries: "(e1) e2 e3 e4 e5 e6",
  },
  {
    name: "no entry in the middle",
    bytes: file(without(ours, 4)),
    damage: "missing-parent@4",
    entries: "e1 e2 (e3) e4 e5 e6",
  },
  { name: "no last entry", bytes: file(without(ours, 7)), damage: "", entries: "e1 e2 e3 e4 e5" },
  {
    name: "two entries missing, apart",
    bytes: file(without(without(ours, 5), 3)),
    damage: "missing-parent@3 missing-parent@4",
    entries: "e1 (e2) e3 (e4) e5 e6",
  },
  {
    name: "two entries missing, side by side",
    bytes: file(without(without(pis, 5), 4)),
    damage: "missing-parent@4",
    entries: "e1 e2 (e4) e5 e6",
  },
  {
    name: "neither header nor first entry",
    bytes: file(ours.slice(2)),
    damage: "no-header@1 missing-parent@1",
    entries: "(e1) e2 e3 e4 e5 e6",
  },
  { name: "the header twice", bytes: file(doubled(ours, 1)), damage: "second-header@2", entries: whole },
  { name: "the first entry twice", bytes: file(doubled(ours, 2)), damage: "duplicate-line@3", entries: whole },
  { name: "an entry in the middle twice", bytes: file(doubled(pis, 4)), damage: "duplicate-line@5", entries: whole },
  { name: "the last entry twice", bytes: file(doubled(ours, 7)), damage: "duplicate-line@8", entries: whole },
  {
    name: "an entry three times",
    bytes: file(doubled(doubled(ours, 4), 4)),
    damage: "duplicate-line@5 duplicate-line@6",
    entries: whole,
  },
  {
    name: "an old entry once more at the end",
    bytes: file(ours, ours[2] ?? ""),
    damage: "duplicate-line@8",
    entries: whole,
  },
  {
    name: "the whole file twice",
    bytes: file(ours, ours),
    damage:
      "second-header@8 duplicate-line@9 duplicate-line@10 duplicate-line@11 duplicate-line@12 duplicate-line@13 duplicate-line@14",
    entries: whole,
  },
  {
    name: "a damaged copy in front of a whole one",
    bytes: file(replaced(doubled(ours, 4), 4, ours[3]?.replace("note", "nope") ?? "")),
    damage: "wrong-checksum@4",
    entries: "e1 e2 (gap-2) e3 e4 e5 e6",
    branch: whole,
  },
  {
    name: "the header behind the first entry",
    bytes: file(swapped(ours, 1, 2)),
    damage: "no-header@1",
    entries: whole,
  },
  {
    name: "the first two entries swapped",
    bytes: file(swapped(ours, 2, 3)),
    damage: "out-of-order@2",
    entries: "e2 e1 e3 e4 e5 e6",
    branch: whole,
  },
  {
    name: "two entries in the middle swapped",
    bytes: file(swapped(pis, 4, 5)),
    damage: "out-of-order@4",
    entries: "e1 e2 e4 e3 e5 e6",
    branch: whole,
  },
  {
    name: "the last two entries swapped",
    bytes: file(swapped(ours, 6, 7)),
    damage: "out-of-order@6",
    entries: "e1 e2 e3 e4 e6 e5",
    branch: "e1 e2 e3 e4 e5",
  },
  {
    name: "entries far apart swapped",
    bytes: file(swapped(ours, 3, 6)),
    damage: "out-of-order@3 out-of-order@4",
    entries: "e1 e5 e3 e4 e2 e6",
    branch: whole,
  },
  {
    name: "all entries in reverse",
    bytes: file(ours.slice(0, 1), ours.slice(1).reverse()),
    damage: "out-of-order@2 out-of-order@3 out-of-order@4 out-of-order@5 out-of-order@6",
    entries: "e6 e5 e4 e3 e2 e1",
    branch: "e1",
  },
];

function replaced(lines: readonly string[], number: number, by: string): readonly string[] {
  return lines.with(number - 1, by);
}

function without(lines: readonly string[], number: number): readonly string[] {
  return lines.toSpliced(number - 1, 1);
}

function doubled(lines: readonly string[], number: number): readonly string[] {
  return lines.toSpliced(number, 0, lines[number - 1] ?? "");
}

function swapped(lines: readonly string[], one: number, other: number): readonly string[] {
  return lines.with(one - 1, lines[other - 1] ?? "").with(other - 1, lines[one - 1] ?? "");
}
