/** Tests the program as a process: skills are listed, loaded, and there again after compactions and after a restart, whatever a summarizer writes. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Script, ScriptRequest, Step } from "@pith/testkit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestProgram } from "../support/test-program.ts";

let program: TestProgram;

beforeEach(() => {
  program = new TestProgram();
});

afterEach(() => program.remove());

const RULES = Array.from(
  { length: 60 },
  (_, at) => `${at + 1}. Never "skip" step ${at + 1};\tsay <why> if you must.\n`,
).join("");
const DEPLOY = `---\nname: deploy\ndescription: >\n  How this house deploys:\n  whenever somebody ships.\nallowed-tools: Bash(*)\n---\n\n# Deploy\n\n${RULES}`;

const HOUSE = Array.from({ length: 5 }, (_, at) => `House rule ${at + 1}: tabs, "never" spaces.\n`).join("");

function place(files: Readonly<Record<string, string>>, root = program.home): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

/** All that a request says, as text. */
function listTexts(body: unknown): string {
  const texts: string[] = [];
  const walk = (value: unknown): void => {
    if (typeof value === "string") texts.push(value);
    else if (value && typeof value === "object") for (const each of Object.values(value)) walk(each);
  };
  walk(body);
  return texts.join("\n");
}

test("SKL1 SKL7 TXT8 a skill is in the catalogue, readable without a question, and sent unchanged after a compaction and after a restart, and so is AGENTS.md", async () => {
  place({ "skills/deploy/SKILL.md": DEPLOY, "settings.json": JSON.stringify({ contextWindow: 20_000 }) });
  const path = join(program.home, "skills/deploy/SKILL.md");
  const log = Array.from({ length: 2_500 }, (_, line) => `All is well with machine ${line}, says the log.\n`);
  place({ "log.txt": log.join("") }, program.folder);
  place({ "AGENTS.md": HOUSE, ".git/HEAD": "" }, program.folder);
  let rounds = 0;
  const script: Script = ({ text, tools }: ScriptRequest): Step => {
    if (tools.length === 0) return "ok";
    if (text.includes("Again")) return "As the skill says.";
    rounds += 1;
    if (rounds === 1) return { parts: [{ type: "call", name: "read", arguments: { path } }] };
    const look = {
      type: "call",
      name: "read",
      arguments: { path: "log.txt", offset: rounds * 100, limit: 100 },
    } as const;
    return rounds < 24 ? { parts: [look] } : "Deployed.";
  };
  const server = await program.serve(script);
  const variables = { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: server.url };
  const first = await program.run(["-p", "Deploy it."], { variables });
  expect(first).toMatchObject({ code: 0, out: "Deployed.\n" });
  expect(first.notes).toContain("allowed-tools is ignored in deploy: a skill grants no permissions");
  const bodies = server.requests.filter(({ wire }) => wire).map(({ body }) => body);
  expect(listTexts(bodies[0])).toContain(`- deploy: How this house deploys: whenever somebody ships. (${path})`);
  const summaries = bodies.filter((body) => !JSON.stringify(body).includes('"tools":[{'));
  expect(summaries.length).toBeGreaterThan(0);
  for (const body of summaries) expect(listTexts(body)).not.toMatch(/say <why>|House rule/);
  expect(listTexts(summaries[0])).toContain("the skill deploy was loaded here");
  const lastTurn = bodies.findLast((body) => !summaries.includes(body));
  expect(listTexts(lastTurn)).toContain(DEPLOY);
  expect(listTexts(lastTurn).split(RULES)).toHaveLength(2);
  for (const body of bodies.filter((each) => !summaries.includes(each)))
    expect(listTexts(body)).toContain(HOUSE.trim());
  place({ "skills/deploy/SKILL.md": DEPLOY.replace("Never", "Always") });
  expect(await program.run(["-p", "-c", "Again."], { variables })).toMatchObject({ code: 0 });
  expect(listTexts(program.lastRequestBody())).toContain(DEPLOY);
});

test("SKL10 TPL1 SKL3 /skill:name attaches a skill before the message, /name fills a template, and those of a project need trust", async () => {
  place({
    "skills/deploy/SKILL.md": DEPLOY,
    "prompts/review.md": `Review $1 for \${@:2}.`,
    "prompts/compact.md": "no",
  });
  place({ ".pith/skills/sink/SKILL.md": DEPLOY.replace("deploy", "sink"), ".git/HEAD": "" }, program.folder);
  const loaded = await program.runWithScript(["-p", "/skill:deploy to the moon"], ["Up it goes."]);
  expect(loaded).toMatchObject({ code: 0, out: "Up it goes.\n" });
  const lastTexts = listTexts(program.lastRequestBody());
  expect(lastTexts.indexOf(DEPLOY)).toBeGreaterThan(0);
  expect(lastTexts.indexOf("Follow the skill deploy.\n\nto the moon")).toBeGreaterThan(lastTexts.indexOf(DEPLOY));
  expect(lastTexts).not.toContain("sink");
  const filled = await program.runWithScript(["-p", "--trust", '/review "a b.ts" race conditions'], ["Fine."]);
  expect(filled).toMatchObject({ code: 0, out: "Fine.\n" });
  expect(filled.notes).toContain("compact.md is not used, because /compact is a command");
  expect(listTexts(program.lastRequestBody())).toContain("Review a b.ts for race conditions.");
  expect(listTexts(program.lastRequestBody())).toMatch(/- sink: How this house deploys/);
  const unknown = await program.runWithScript(["-p", "/skill:sank"], []);
  expect(unknown).toMatchObject({ code: 2, notes: expect.stringContaining("unknown command /skill:sank") });
});
