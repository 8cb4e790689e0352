/** D10: malformed lines: wrong fields, not an object, nested too deep, too long. */

import { bytesOf, chain, type DamagedFile, file, note, piHeader } from "./specimen.ts";

const [e1 = ""] = chain(1);
const e3 = note("e3", "e2");
const after = `at-${file(piHeader, e1).length}`;

/** Lines that stay in the tree as unknown entries: fields by which e2 breaks the promise of its kind. */
const wrongFields: Readonly<Record<string, string>> = {
  "a message that is missing": '"type":"message"',
  "a message that is null": '"type":"message","message":null',
  "a message that is text": '"type":"message","message":"hi"',
  "a message without a role": '"type":"message","message":{"content":"hi"}',
  "a message of a role nobody knows": '"type":"message","message":{"role":"narrator","content":"hi"}',
  "a message of a role that is never written": '"type":"message","message":{"role":"compactionSummary","summary":"s"}',
  "a message of a role that every object has": '"type":"message","message":{"role":"constructor"}',
  "a user message of a number": '"type":"message","message":{"role":"user","content":5}',
  "a system message of an object": '"type":"message","message":{"role":"system","content":{}}',
  "an assistant message of text": '"type":"message","message":{"role":"assistant","content":"hi"}',
  "a tool result without its call": '"type":"message","message":{"role":"toolResult","content":[]}',
  "a shell line without a command": '"type":"message","message":{"role":"bashExecution","output":""}',
  "a compaction without a summary": '"type":"compaction","firstKeptEntryId":"e1"',
  "a branch summary of a number": '"type":"branch_summary","fromId":"e1","summary":1',
  "a custom message without a kind": '"type":"custom_message","content":"hi"',
  "a custom message of a number": '"type":"custom_message","customType":"x","content":1',
  "an edit without a target": '"type":"context_edit","replacement":null',
  "an edit that says nothing": '"type":"context_edit","targetId":"e1"',
  "an edit to nothing": '"type":"context_edit","targetId":"e1","replacement":{"content":null}',
  "a model change without a model": '"type":"model_change","provider":"p"',
  "a thinking level of a number": '"type":"thinking_level_change","thinkingLevel":3',
  "active tools that are no list": '"type":"active_tools_change","activeToolNames":{"length":0}',
  "a label for nobody": '"type":"label","label":"x"',
  "a label of a list": '"type":"label","targetId":"e1","label":["x"]',
  "a name of a number": '"type":"session_info","name":1',
  "usage that is text": '"type":"usage","usage":"much"',
  "a custom entry without a kind": '"type":"custom","data":1',
  "no kind": '"message":{"role":"user","content":"hi"}',
  "a kind of a number": '"type":5',
};

const malformed: readonly DamagedFile[] = Object.entries(wrongFields).map(([name, fields]) => ({
  name,
  bytes: file(piHeader, e1, `{"id":"e2","parentId":"e1","timestamp":"t",${fields}}`, e3),
  damage: "malformed@3",
  entries: "e1 e2 e3",
}));

const unknownKinds: readonly DamagedFile[] = ["of_tomorrow", "gap", "unknown", "toString", ""].map((kind) => ({
  name: `a kind nobody knows: "${kind}"`,
  bytes: file(piHeader, e1, `{"type":"${kind}","id":"e2","parentId":"e1","timestamp":"t"}`, e3),
  damage: "",
  entries: "e1 e2 e3",
}));

/** Lines that are lost: the child of e2 behind them tells whose place they had. */
const noObjects: readonly DamagedFile[] = ["5", '"text"', "true", "null", "[]", '[{"id":"e2"}]'].map((line) => ({
  name: `a line that is no object: ${line}`,
  bytes: file(piHeader, e1, line, e3),
  damage: "not-an-object@3 missing-parent@4",
  entries: "e1 (e2) e3",
}));

const places: readonly DamagedFile[] = [
  { name: "an empty object", bytes: file(piHeader, e1, "{}"), damage: "malformed@3", entries: `e1 ${after}` },
  {
    name: "empty objects only",
    bytes: file("{}", "{}", "{}"),
    damage: "no-header@1 malformed@1 malformed@2 malformed@3",
    entries: "at-0 at-3 at-6",
  },
  {
    name: "no id",
    bytes: file(piHeader, e1, '{"type":"custom","parentId":"e1","timestamp":"t","customType":"x"}'),
    damage: "malformed@3",
    entries: `e1 ${after}`,
  },
  { name: "an empty id", bytes: file(piHeader, e1, note("", "e1")), damage: "malformed@3", entries: `e1 ${after}` },
  {
    name: "an id that is a number",
    bytes: file(piHeader, e1, note("5", "e1").replace('"5"', "5")),
    damage: "malformed@3",
    entries: `e1 ${after}`,
  },
  {
    name: "a parent that is a number",
    bytes: file(piHeader, e1, note("e2", "5").replace('"5"', "5")),
    damage: "malformed@3",
    entries: "e1 e2",
  },
  {
    name: "no parent",
    bytes: file(piHeader, e1, '{"type":"custom","id":"e2","timestamp":"t","customType":"x"}'),
    damage: "malformed@3",
    entries: "e1 e2",
  },
  {
    name: "an id that another line would get from its place",
    bytes: file(piHeader, note(`at-${file(piHeader, note("at-000", null)).length}`, null), "{}"),
    damage: "duplicate-id@3 malformed@3",
    entries: `at-${file(piHeader, note("at-000", null)).length} at-${file(piHeader, note("at-000", null)).length}~1`,
  },
];

const deep = (depth: number): string => note("e2", "e1", `,"data":${"[".repeat(depth)}${"]".repeat(depth)}`);
const long = note("e2", "e1", `,"data":"${"ä".repeat(200)}"`);
const small = { lineBytes: 300, depth: 200 };

const limits: readonly DamagedFile[] = [
  { name: "200 levels", bytes: file(piHeader, e1, deep(199), e3), damage: "", entries: "e1 e2 e3" },
  { name: "201 levels", bytes: file(piHeader, e1, deep(200), e3), damage: "nested-too-deep@3", entries: "e1 (e2) e3" },
  {
    name: "100,000 levels",
    bytes: file(piHeader, e1, deep(99_999), e3),
    damage: "nested-too-deep@3",
    entries: "e1 (e2) e3",
  },
  {
    name: "100,000 levels that are never closed",
    bytes: file(piHeader, e1, '{"a":'.repeat(100_000), e3),
    damage: "nested-too-deep@3 missing-parent@4",
    entries: "e1 (e2) e3",
  },
  {
    name: "a line beyond the limit",
    bytes: file(piHeader, e1, long, e3),
    damage: "line-too-long@3",
    entries: "e1 (e2) e3",
    limits: small,
  },
  {
    name: "a line of just the limit",
    bytes: file(piHeader, e1, long, e3),
    damage: "",
    entries: "e1 e2 e3",
    limits: { ...small, lineBytes: bytesOf(long).length },
  },
  {
    name: "a line of one byte more",
    bytes: file(piHeader, e1, long, e3),
    damage: "line-too-long@3",
    entries: "e1 (e2) e3",
    limits: { ...small, lineBytes: bytesOf(long).length - 1 },
  },
];

export const malformedLines: readonly DamagedFile[] = [
  ...malformed,
  ...unknownKinds,
  ...noObjects,
  ...places,
  ...limits,
];
