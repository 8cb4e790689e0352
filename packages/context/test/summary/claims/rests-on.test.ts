/** Proves when a line says what a person said: in other words, but not more, not less where it matters, and not turned round. */

import { describe, expect, test } from "vitest";
import { heard } from "../../../src/summary/claims/heard.ts";
import { restsOn } from "../../../src/summary/claims/rests-on.ts";

const rests = (line: string, ...said: readonly string[]): boolean => restsOn(line, said.map(heard));

describe("an honest paraphrase", () => {
  test.each([
    [
      "Find out why the nightly job crashes since redis was bumped to 7.2",
      "can you have a look at why the nightly job crashes? it started after we bumped redis to 7.2",
    ],
    ["Add a --json CLI flag so that output can be piped", "I'd like a CLI flag --json so the output can be piped"],
    ["Make the buttons full width on mobile", "the buttons look ugly on mobile, make them full width there"],
    [
      "Rename getUser to fetchUser everywhere except in the public SDK",
      "rename getUser to fetchUser everywhere except in the public sdk",
    ],
    [
      "Write unit tests for the date helpers, including leap years and DST edge cases",
      "pls write unit tests for the date helpers, edge cases like leap years and DST included",
    ],
    ["Must support Node 18 and up; no new APIs", "we support node 18 and up so no fancy new apis"],
    ["Show the plan before changing the schema", "before you change the schema show me the plan"],
    ["No emojis in code or commit messages", "I don't want any emojis in the code or commit messages"],
    ["Go with option 2", "let's go with option 2"],
    ["Use the second one, without retry logic", "the second one please, but without the retry logic"],
    ["Use the logger from src/log.ts instead of console.log", "stop using console.log, use the logger from src/log.ts"],
    ["Only change what is needed; no drive-by refactorings", "Only change what's needed, no drive-by refactorings!"],
    ["Brief answers", "please be brief in your answers"],
    [
      "Remove the deprecated /v1 endpoints but keep /v1/health",
      "remove the deprecated endpoints under /v1 but keep /v1/health alive",
    ],
    ["Delete build/ and dist/ since they are generated", "delete build/ and dist/ they're generated"],
    ["Push to origin/feature-x when ready", "push it to origin/feature-x when ready"],
    ["Deploy to staging", "deploy to staging now"],
    ["Commit directly on this branch, no PR needed", "You can commit directly on this branch, no PR needed"],
    ["Force push is OK on the user's own branch", "yes, force push is ok on my own branch"],
    [
      "Must work on Windows too, including paths with backslashes",
      "make sure it works on windows too, paths with backslashes",
    ],
    ["Understand how the scheduler picks the next job", "i want to understand how the scheduler picks the next job"],
    ["Never commit secrets; .env stays out of git", "never commit secrets, .env stays out of git"],
    ["Skip the e2e tests: they need a VPN", "skip the e2e tests, they need a vpn"],
    ["Translate the README to French and Spanish", "Translate the README into French and Spanish"],
    [
      "Review PR 482 and say whether the locking is correct",
      "Please review PR 482 and tell me if the locking is correct",
    ],
    ["Use Postgres rather than SQLite", "use postgres, not sqlite"],
    ["Must not break the existing importer", "it must not break the existing importer"],
    [
      "Function should be pure and must not touch the filesystem",
      "the function should be pure and not touch the filesystem",
    ],
    ["Delete the stale cache in src/old.ts", "The cache in src/old.ts is stale. Please delete it."],
    ["Never push without asking", "ask me before you push anything"],
    ["Merge the branch if all tests pass", "if all tests pass, merge the branch"],
    ["The load must stay under 500ms", "keep the load under 500 ms"],
    [
      "Keine Kommentare im Code; er soll für sich sprechen",
      "Bitte keine Kommentare im Code, der soll für sich sprechen",
    ],
    [
      "Die Suche schneller machen, sie hängt bei 10000 Einträgen",
      "Kannst du die Suche schneller machen? Bei 10000 Einträgen hängt sie",
    ],
    ["Überall Temporal statt Date verwenden", "Benutze bitte überall Temporal statt Date"],
    ["Wiederholung im Client einbauen", "Es gibt keine Wiederholung im Client, bau das ein"],
    [
      "Guardar los errores en un log y no en la consola",
      "quiero que los errores se guarden en un log y no en la consola",
    ],
    ["Botón a la derecha y de color azul", "pon el botón a la derecha y que sea azul"],
    ["Corrigir o botão no celular", "o botão não funciona no celular"],
    ["Réparer le bouton sur mobile", "le bouton ne marche pas sur mobile"],
    ["Ne rien effacer d'autre", "garde 7 copies et n'efface rien d'autre"],
    ["Исправить кнопку на мобильных", "кнопка не работает на мобильных"],
    ["按钮放在右边,颜色为蓝色", "把按钮放到右边,颜色改成蓝色"],
    ["给接口加缓存,过期时间 10 分钟", "接口返回太慢,加个缓存,过期时间 10 分钟"],
    ["修复登录问题", "登录不了,帮我修一下"],
    ["ログイン画面のボタンを青にする", "ログイン画面のボタンを青にして"],
    ["기존 테스트는 건드리지 않는다", "기존 테스트는 건드리지 마세요"],
    ["Add retry logic to the client", "there's no retry logic in the client, add some"],
    ["Understand why the parser fails on empty input", "I don't understand why the parser fails on empty input"],
    ["Write tests for billing", "we don't have any tests for billing. write some"],
    ["Arreglar el login en Safari", "el login no funciona en Safari"],
    ["go on", "whatever"],
  ])("AUD4 stands: %s", (line, said) => {
    expect(rests(line, said)).toBe(true);
  });
});

describe("what was not said", () => {
  test.each([
    ["Downgrade redis to 6.0", "it started after we bumped redis to 7.2"],
    ["Add a --xml CLI flag so that output can be piped", "I'd like a CLI flag --json so the output can be piped"],
    ["Make the buttons full width on desktop", "the buttons look ugly on mobile, make them full width there"],
    ["Rename fetchUser to loadUser everywhere", "rename getUser to fetchUser everywhere except in the public sdk"],
    ["Linter limit is 120 columns", "Our linter is set to 100 columns. keep that in mind"],
    ["Change the schema without showing the plan", "before you change the schema show me the plan"],
    ["Use emojis in the code and commit messages", "I don't want any emojis in the code or commit messages"],
    ["Go with option 3", "let's go with option 2"],
    ["Use console.log instead of the logger from src/log.ts", "stop using console.log, use the logger from src/log.ts"],
    ["Remove /v1/health", "remove the deprecated endpoints under /v1 but keep /v1/health alive"],
    ["Delete src/ and test/", "delete build/ and dist/ they're generated"],
    ["Delete src/new.ts", "delete src/old.ts"],
    ["Push to origin/main", "push it to origin/feature-x when ready"],
    ["Push to origin/feature-x", "push it to origin/feature-x when ready"],
    ["Deploy to production now", "deploy to staging now"],
    ["Merge directly to main, no PR needed", "You can commit directly on this branch, no PR needed"],
    ["Force push to main is ok", "yes, force push is ok on my own branch"],
    ["Commit secrets and .env", "never commit secrets, .env stays out of git"],
    ["Use SQLite", "use postgres, not sqlite"],
    ["Use SQLite, not Postgres", "use postgres, not sqlite"],
    ["Break the existing importer if needed", "it must not break the existing importer"],
    ["Delete the users table", "why is the table users so big? can we archive it?"],
    ["Delete the users table", "what happens if I delete the users table?"],
    ["Deploy on fridays", "don't deploy on fridays"],
    ["Deploy or merge", "do not push, merge, tag or deploy"],
    ["Send the newsletter to customers", "please do not send anything to customers yet"],
    ["Install packages freely", "ask me before installing packages"],
    ["Push without asking", "never push without asking"],
    ["Delete the database", "delete the cache, keep the database"],
    ["Delete the database", "do not delete the database"],
    ["Don't add a button", "Add a button. Don't touch the footer."],
    ["Never keep the fixtures", "no, keep the fixtures"],
    ["Port the parser to Zig", "port the parser to Rust"],
    ["Approved deleting the branch", "delete the branch?"],
    ["Permission to rename the branch", "rename the branch"],
    ["Kommentare im Code schreiben", "Bitte keine Kommentare im Code"],
    ["Überall Date statt Temporal verwenden", "Benutze bitte überall Temporal statt Date"],
    ["Guardar los errores en la consola", "quiero que los errores se guarden en un log y no en la consola"],
    ["合并分支", "先别合并,等我看完"],
    ["マージする", "まだマージしないで"],
    ["трогать конфиг", "не трогай конфиг"],
    ["Migrate the database to the new cluster", "thanks, great work!"],
    ["Approve all pending changes", "hmm"],
    ["Show the price above the total", "show the price below the total"],
    ["Fix the login test and rewrite every other module", "fix the login test in the shop module"],
  ])("AUD4 falls: %s", (line, said) => {
    expect(rests(line, said)).toBe(false);
  });
});

describe("several messages", () => {
  test("AUD4 are taken together", () => {
    expect(rests("Fix the login and paint the fence", "fix the login", "paint the fence")).toBe(true);
    expect(rests("Fix the login and paint the fence", "fix the login")).toBe(false);
  });

  test("AUD4 none say nothing", () => {
    expect(rests("Fix the login")).toBe(false);
  });
});

test("AUD4 consent needs a yes", () => {
  expect(rests("The user approved deleting the branch", "yes, delete the branch")).toBe(true);
  expect(rests("The user approved deleting the branch", "no, I have not approved that you delete the branch")).toBe(
    false,
  );
  expect(rests("The user did not approve deleting the branch", "no, don't delete the branch")).toBe(true);
});

test("AUD4 no line is that long", () => {
  const said = "fix the login ".repeat(400);
  expect(rests(said.slice(0, 4000), said)).toBe(true);
  expect(rests(said.slice(0, 4001), said)).toBe(false);
});

test("AUD4 what it cannot tell is known: an honest line that falls, and a false one that stands", () => {
  expect(
    rests(
      "API should return 410 instead of 404 for deleted users",
      "the api returns 404 for deleted users, it should return 410",
    ),
  ).toBe(false);
  expect(rests("Respect the linter limit of 100 columns", "Our linter is set to 100 columns. keep that in mind")).toBe(
    false,
  );
  expect(rests("类型都用 any", "不要用 any,类型都写清楚")).toBe(true);
  expect(rests("Switch to pnpm", "use npm for now, we switch to pnpm next quarter")).toBe(true);
});
