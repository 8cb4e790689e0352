/** Honest summaries of English sessions: true, in other words than the user's, with correct citations. */

import type { HonestSummary } from "../../fixtures.ts";

export const english: readonly HonestSummary[] = [
  {
    title: "a flaky login test",
    session: [
      "user: hey, the login test in test/login.test.ts fails every now and then on CI, can you find out why and fix it? don't just raise the timeout please",
      "says: I'll look at the test first.",
      "calls: read path=test/login.test.ts",
      "result: await page.click('#submit'); expect(await session()).toBeTruthy(); // timeout 5000",
      "calls: read path=src/session.ts",
      "result: export async function session() { return store.get(cookie) } // refreshToken() is not awaited",
      "says: refreshToken() in src/session.ts is not awaited, so the session may be read too early.",
      "user: ok, makes sense. also add a regression test for it",
      "calls: edit path=src/session.ts",
      "result: edited",
      "calls: bash command=vitest",
      "result: 41 passed",
    ],
    summary: `## Goal
- Find out why the login test in test/login.test.ts fails now and then on CI, and fix it (entry:e1)
- Add a regression test for it (entry:e8)

## Constraints & Preferences
- Don't just raise the timeout (entry:e1)

## Progress
### Done
- [x] Found the cause: \`refreshToken()\` in src/session.ts is not awaited, so the session is read too early (entry:e6, entry:e7)
- [x] Edited src/session.ts so that it awaits the refresh (entry:e9)
- [x] Ran vitest: 41 passed (entry:e12)
### In Progress
- [ ] Regression test for the race (entry:e8)
### Blocked
- (none)

## Key Decisions
- **Await the refresh**: the test itself is right, the race is in src/session.ts (entry:e7)

## Next Steps
1. Write the regression test next to test/login.test.ts
2. Run the whole suite again

## Critical Context
- The test clicks \`#submit\` and then expects a session, with a timeout of 5000 (entry:e4)`,
  },
  {
    title: "dark mode",
    session: [
      "user: Please add a dark mode to the settings page. It should follow the system preference by default. Use CSS variables, no new dependencies.",
      "calls: bash command=ls",
      "result: src/pages/Settings.tsx src/theme.css package.json",
      "calls: read path=src/theme.css",
      "result: :root { --background: #fff; --text: #111 }",
      "says: I'll extend theme.css with a dark block and add a toggle.",
      "calls: edit path=src/theme.css",
      "result: ok",
      "user: the toggle should remember the choice in localStorage",
      "calls: edit path=src/pages/Settings.tsx",
      "result: ok",
    ],
    summary: `## Goal
- Add a dark mode to the settings page that follows the system preference by default (entry:e1)
- The toggle remembers the choice in localStorage (entry:e9)

## Constraints & Preferences
- Use CSS variables (entry:e1)
- No new dependencies (entry:e1)

## Progress
### Done
- [x] Dark block added to src/theme.css (entry:e7)
- [x] Toggle added in src/pages/Settings.tsx (entry:e10)
### In Progress
- [ ] Persisting the choice in \`localStorage\` (entry:e9)
### Blocked
- (none)

## Key Decisions
- **CSS variables on :root**: theme.css already had --background and --text, and the user asked for CSS variables (entry:e1, entry:e5)

## Next Steps
1. Check that the page follows the system setting when nothing is stored

## Critical Context
- Existing variables: \`--background: #fff\`, \`--text: #111\` (entry:e5)`,
  },
  {
    title: "a migration with rules",
    session: [
      "user: We're moving from moment to date-fns. Replace all uses in packages/web. Never touch packages/legacy, that one gets deleted next month anyway.",
      "calls: bash command=grep",
      "result: packages/web/src/date.ts:3 packages/web/src/calendar/grid.ts:11 packages/legacy/index.js:1",
      "says: Two files in packages/web use moment.",
      "calls: edit path=packages/web/src/date.ts",
      "result: done",
      "user: commit after each file so I can review them one by one",
      "calls: bash command=git",
      "result: [main 3f2a91c] replace moment in date.ts",
    ],
    summary: `## Goal
- Replace all uses of moment with date-fns in packages/web (entry:e1)

## Constraints & Preferences
- Never touch packages/legacy; it gets deleted next month (entry:e1)
- Commit after each file so that the user can review them one by one (entry:e7)

## Progress
### Done
- [x] packages/web/src/date.ts now uses date-fns (entry:e5)
- [x] Committed as 3f2a91c (entry:e9)
### In Progress
- [ ] packages/web/src/calendar/grid.ts still uses moment, see line 11 (entry:e3)
### Blocked
- (none)

## Key Decisions
- **One commit per file**: the user wants to review them one by one (entry:e7)

## Next Steps
1. Replace moment in packages/web/src/calendar/grid.ts and commit

## Critical Context
- grep also finds packages/legacy/index.js, which stays as it is (entry:e3)`,
  },
  {
    title: "a slow query",
    session: [
      "user: the orders page takes 8 seconds to load, something is wrong with the query in orders_repository.py. make it fast, under 500ms ideally",
      "calls: read path=app/orders_repository.py",
      "result: SELECT * FROM orders JOIN customers ... WHERE lower(email) = %s",
      "calls: bash command=psql",
      "result: Seq Scan on customers (cost=0.00..48211.00 rows=1200000)",
      "says: lower(email) cannot use the index. I can add a functional index, or store a lower-cased column. Which one?",
      "user: functional index is fine. but do not run migrations on the shared database, only write the file",
      "calls: write path=migrations/0042_lower_email.sql",
      "result: ok",
    ],
    summary: `## Goal
- Make the orders page fast: it takes 8 seconds to load because of the query in orders_repository.py; ideally under 500ms (entry:e1)

## Constraints & Preferences
- Do not run migrations on the shared database, only write the file (entry:e7)
- A functional index is fine (entry:e7)

## Progress
### Done
- [x] Found a sequential scan on customers: \`lower(email)\` cannot use the index (entry:e5, entry:e6)
- [x] Wrote migrations/0042_lower_email.sql (entry:e8)
### In Progress
- [ ] Measuring the page with the index
### Blocked
- (none)

## Key Decisions
- **Functional index instead of a lower-cased column**: the user said a functional index is fine (entry:e7)

## Next Steps
1. Measure on a local copy

## Critical Context
- customers has about 1200000 rows (entry:e5)`,
  },
  {
    title: "an API client",
    session: [
      "user: write a small client for the weather API at https://api.weather.example/v2/forecast in go. retries with backoff, max 3 attempts. no third party libs",
      "says: I'll create client.go.",
      "calls: write path=client.go",
      "result: ok",
      "calls: bash command=go",
      "result: ok  weather 0.42s",
      "user: good. the key comes from WEATHER_KEY, never log it",
      "calls: edit path=client.go",
      "result: ok",
      "user: now write a README with an example",
    ],
    summary: `## Goal
- Write a small Go client for the weather API at https://api.weather.example/v2/forecast (entry:e1)
- Now write a README with an example (entry:e10)

## Constraints & Preferences
- Retries with backoff, at most 3 attempts (entry:e1)
- No third party libs (entry:e1)
- The key comes from \`WEATHER_KEY\` and must never be logged (entry:e7)

## Progress
### Done
- [x] client.go with retries; go test is ok in 0.42s (entry:e3, entry:e6)
- [x] client.go reads WEATHER_KEY (entry:e8)
### In Progress
- [ ] README with an example (entry:e10)
### Blocked
- (none)

## Key Decisions
- (none)

## Next Steps
1. Write the README

## Critical Context
- The client lives in one file, client.go`,
  },
  {
    title: "a refactoring with an open question",
    session: [
      "user: split src/server.ts into routes and middleware, it's 900 lines and nobody can read it anymore",
      "calls: read path=src/server.ts",
      "result: import express ... app.get('/health') ... app.use(authenticate)",
      "says: I would make src/routes/health.ts, src/routes/users.ts and src/middleware/authenticate.ts.",
      "user: yes do that, keep the public exports the same",
      "calls: write path=src/routes/health.ts",
      "result: ok",
      "calls: write path=src/middleware/authenticate.ts",
      "result: ok",
      "calls: bash command=npm",
      "fails: TS2305: Module './server' has no exported member 'startServer'",
      "says: startServer is missing after the split. Shall I re-export it from src/index.ts?",
    ],
    summary: `## Goal
- Split src/server.ts into routes and middleware; at 900 lines nobody can read it anymore (entry:e1)

## Constraints & Preferences
- Keep the public exports the same (entry:e5)

## Progress
### Done
- [x] src/routes/health.ts (entry:e6)
- [x] src/middleware/authenticate.ts (entry:e8)
### In Progress
- [ ] src/routes/users.ts (entry:e4)
### Blocked
- Build fails with TS2305: \`startServer\` is no longer exported (entry:e11)
- Waiting for the user's answer whether to re-export it from src/index.ts (entry:e12)

## Key Decisions
- **Layout**: routes in src/routes, authenticate in src/middleware, as proposed in entry:e4

## Next Steps
1. Re-export startServer once the question is answered

## Critical Context
- src/server.ts has app.get('/health') and app.use(authenticate) (entry:e3)`,
  },
  {
    title: "a branch that asks before pushing",
    session: [
      "user: rebase feature/search onto main and resolve the conflicts. ask me before you push anything",
      "calls: bash command=git",
      "result: CONFLICT (content): Merge conflict in src/search/index.rs",
      "calls: read path=src/search/index.rs",
      "result: <<<<<<< HEAD fn rank() ======= fn score() >>>>>>> feature/search",
      "user: take ours for rank, it has the newer formula",
      "calls: edit path=src/search/index.rs",
      "result: ok",
      "calls: bash command=cargo",
      "result: test result: ok. 88 passed; 0 failed",
    ],
    summary: `## Goal
- Rebase feature/search onto main and resolve the conflicts (entry:e1)

## Constraints & Preferences
- Ask the user before pushing anything (entry:e1)
- Take ours for rank: it has the newer formula (entry:e6)

## Progress
### Done
- [x] Conflict in src/search/index.rs resolved (entry:e7)
- [x] cargo test: 88 passed, 0 failed (entry:e10)
### In Progress
- [ ] Finishing the rebase
### Blocked
- (none)

## Key Decisions
- **rank() from ours**: the user prefers the newer formula (entry:e6)

## Next Steps
1. Finish the rebase
2. Ask the user before pushing

## Critical Context
- The conflict was between rank() and score() in src/search/index.rs (entry:e5)`,
  },
  {
    title: "a bug found in the logs",
    session: [
      "user: users report 500s when uploading avatars > 2MB. logs are in /var/log/app/upload.log",
      "calls: bash command=tail",
      "result: ERROR PayloadTooLargeError: request entity too large at readStream (/srv/app/node_modules/raw-body/index.js:156)",
      "says: body-parser has a limit of 2mb in src/app.js.",
      "user: raise it to 10mb and show a proper error message in the UI when it's bigger than that",
      "calls: edit path=src/app.js",
      "result: ok",
      "calls: edit path=web/upload.jsx",
      "result: ok",
      "user: looks good, thanks. next: the thumbnails are blurry on retina screens",
    ],
    summary: `## Goal
- Thumbnails are blurry on retina screens (entry:e10)
- Raise the upload limit to 10mb and show a proper error message in the UI for bigger files (entry:e5)

## Constraints & Preferences
- (none)

## Progress
### Done
- [x] Cause of the 500s on avatars over 2MB: PayloadTooLargeError from body-parser's limit in src/app.js (entry:e3, entry:e4)
- [x] Limit raised in src/app.js, message in web/upload.jsx (entry:e6, entry:e8)
- [x] The user says it looks good (entry:e10)
### In Progress
- [ ] Blurry thumbnails on retina screens (entry:e10)
### Blocked
- (none)

## Key Decisions
- (none)

## Next Steps
1. Find where thumbnails are made

## Critical Context
- Upload logs: /var/log/app/upload.log (entry:e1)`,
  },
  {
    title: "documentation in a given style",
    session: [
      "user: document the public functions in lib/geometry.py. google style docstrings, british spelling, no examples longer than 3 lines",
      "calls: read path=lib/geometry.py",
      "result: def area(polygon): ... def centroid(polygon): ... def _clip(a, b): ...",
      "calls: edit path=lib/geometry.py",
      "result: ok",
      "says: area and centroid are documented. _clip is private, I left it.",
      "user: right. do the same for lib/colour.py",
    ],
    summary: `## Goal
- Document the public functions in lib/geometry.py, then the same for lib/colour.py (entry:e1, entry:e7)

## Constraints & Preferences
- Google style docstrings with British spelling (entry:e1)
- No examples longer than 3 lines (entry:e1)

## Progress
### Done
- [x] \`area\` and \`centroid\` in lib/geometry.py have docstrings (entry:e4)
### In Progress
- [ ] lib/colour.py (entry:e7)
### Blocked
- (none)

## Key Decisions
- **_clip is left alone**: it is private (entry:e6)

## Next Steps
1. Read lib/colour.py

## Critical Context
- (none)`,
  },
  {
    title: "an infrastructure change with limits",
    session: [
      "user: set up a staging environment in terraform, copy of prod but with t3.small instances. do NOT apply anything, I'll run terraform apply myself",
      "calls: read path=infra/prod/main.tf",
      'result: instance_type = "m5.xlarge" region = "eu-central-1"',
      "calls: write path=infra/staging/main.tf",
      "result: ok",
      "calls: bash command=terraform",
      "result: Success! The configuration is valid.",
      "user: also name everything with the prefix stg-",
    ],
    summary: `## Goal
- Set up a staging environment in terraform: a copy of prod but with t3.small instances (entry:e1)

## Constraints & Preferences
- Do NOT apply anything; the user will run terraform apply himself (entry:e1)
- Everything is named with the prefix stg- (entry:e8)

## Progress
### Done
- [x] infra/staging/main.tf written; the configuration is valid (entry:e4, entry:e7)
### In Progress
- [ ] Adding the stg- prefix (entry:e8)
### Blocked
- (none)

## Key Decisions
- **t3.small**: asked for by the user instead of prod's m5.xlarge (entry:e1, entry:e3)

## Next Steps
1. Rename the resources in infra/staging/main.tf

## Critical Context
- Region is eu-central-1 (entry:e3)`,
  },
  {
    title: "a question that led to work",
    session: [
      "user: why does our docker image weigh 1.9 GB?",
      "calls: bash command=docker",
      "result: node_modules 1.1GB  /root/.cache 412MB",
      "says: The dev dependencies and the npm cache are in the image. A multi-stage build would help.",
      "user: do it, but stay on debian slim, alpine broke our native modules last time",
      "calls: edit path=Dockerfile",
      "result: ok",
      "calls: bash command=docker",
      "result: REPOSITORY app SIZE 310MB",
    ],
    summary: `## Goal
- Make the docker image smaller: it weighs 1.9 GB (entry:e1)

## Constraints & Preferences
- Stay on debian slim: alpine broke the native modules last time (entry:e5)

## Progress
### Done
- [x] node_modules (1.1GB) and /root/.cache (412MB) were the cause (entry:e3)
- [x] Multi-stage build in the Dockerfile, now 310MB (entry:e6, entry:e9)
### In Progress
- [ ] (none)
### Blocked
- (none)

## Key Decisions
- **Multi-stage build on debian slim**: the user agreed and ruled out alpine (entry:e4, entry:e5)

## Next Steps
1. Check the native modules in the new image

## Critical Context
- (none)`,
  },
  {
    title: "a split turn",
    session: [
      "user: port the parser from python to rust, keep the same error messages, all tests in tests/parser must pass",
      "calls: read path=parser.py",
      "result: class ParseError(Exception): 'unexpected token %s at line %d'",
      "calls: write path=src/parser.rs",
      "result: ok",
      "calls: bash command=cargo",
      "fails: 12 passed; 7 failed",
      "says: Seven tests fail because of string escapes.",
      "calls: edit path=src/parser.rs",
      "result: ok",
    ],
    summary: `## Goal
- Port the parser from Python to Rust (entry:e1)

## Constraints & Preferences
- Keep the same error messages (entry:e1)
- All tests in tests/parser must pass (entry:e1)

## Progress
### Done
- [x] src/parser.rs written (entry:e4)
### In Progress
- [ ] 7 of the tests still fail because of string escapes (entry:e7, entry:e8)
### Blocked
- (none)

## Key Decisions
- (none)

## Next Steps
1. Run cargo test again after the edit of src/parser.rs

## Critical Context
- Error text: 'unexpected token %s at line %d' (entry:e3)

---

**Turn Context (split turn):**

## Original Request
- Port the parser from Python to Rust with the same error messages; all tests in tests/parser must pass (entry:e1)

## Early Progress
- parser.py was read, src/parser.rs written, 12 tests passed and 7 failed (entry:e2, entry:e4, entry:e7)

## Context for Suffix
- The escapes were just edited in src/parser.rs (entry:e9)`,
  },
];
