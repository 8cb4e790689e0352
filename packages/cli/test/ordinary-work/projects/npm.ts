/** A package of npm with husky, tsx, TypeScript and a browser that Playwright drives. */

import { type Project, run, runFailing, start, stop } from "../project.ts";

const manifest = {
  name: "shop",
  version: "1.0.0",
  private: true,
  type: "module",
  scripts: {
    build: "tsc",
    test: "node --test --test-reporter=dot test/*.test.js",
    lint: "prettier --check src",
    start: "node dist/server.js",
    "test:browser": "node scripts/browser.js",
  },
  devDependencies: {
    "@types/node": "24.10.1",
    husky: "9.1.7",
    "lint-staged": "16.2.7",
    "playwright-core": "1.57.0",
    prettier: "3.7.4",
    tsx: "4.21.0",
    typescript: "5.9.3",
  },
  "lint-staged": { "*.ts": "prettier --write" },
};

const compilerOptions = {
  target: "es2022",
  module: "nodenext",
  outDir: "dist",
  rootDir: "src",
  strict: true,
  types: ["node"],
  incremental: true,
  declaration: true,
};

const SERVER = `import { createServer } from "node:http";
import { total } from "./total.js";

const page = "<title>Shop</title><h1>Shop</h1><button onclick=\\"this.textContent = 'Bought'\\">Buy</button>";

const server = createServer((request, response) => {
  if (request.url === "/health") response.end(JSON.stringify({ ready: true, total: total([1, 2]) }) + "\\\\n");
  else response.setHeader("content-type", "text/html").end(page);
});
server.listen(Number(process.env.PORT), "127.0.0.1");
`;

const BROWSER = `import { writeFileSync } from "node:fs";
import { chromium } from "playwright-core";

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium" });
const page = await browser.newPage();
await page.goto(process.argv[2] ?? "data:text/html,<title>Here</title><button onclick=\\"this.textContent='Bought'\\">Buy</button>");
await page.getByRole("button").click();
writeFileSync("page.txt", [await page.title(), await page.getByRole("button").textContent()].join(" ") + "\\\\n");
await browser.close();
`;

const WATCH = `import { existsSync, watch, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const names = new Set();
const watcher = watch(".", (_, name) => names.add(name));
writeFileSync("/tmp/watching", "");
while (!names.has("last.txt")) await sleep(20);
watcher.close();
writeFileSync("names.json", JSON.stringify([...names].sort()));
`;

export const npm: Project = {
  name: "npm",
  folder: "projects/shop",
  needsRegistry: true,
  tools: ["npm", "npx", "chromium", "patch", "tar"],
  files: {
    "package.json": `${JSON.stringify(manifest, null, 2)}\n`,
    "tsconfig.json": `${JSON.stringify({ compilerOptions, include: ["src"] }, null, 2)}\n`,
    "README.md": "# shop\n",
    "src/total.ts":
      "export function total(prices: readonly number[]): number {\n  return prices.reduce((sum, price) => sum + price, 0);\n}\n",
    "src/server.ts": SERVER,
    "test/total.test.js":
      'import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { total } from "../dist/total.js";\n\ntest("adds prices", () => assert.equal(total([1, 2]), 3));\n',
    "scripts/hello.ts":
      'import { total } from "../src/total.ts";\n\nconst sum: number = total([20, 22]);\nconsole.log("hello", sum);\n',
    "scripts/browser.js": BROWSER,
    "scripts/watch.js": WATCH,
  },
  commands: [
    run("ls -a && cat package.json"),
    run("git init && printf 'node_modules/\\ndist/\\n*.tsbuildinfo\\n' > .gitignore"),
    run("npm install"),
    run("npm ls --depth=0"),
    run("npx tsx scripts/hello.ts"),
    run("npm run build"),
    run("npm test"),
    run("npm run lint || npx prettier --write src"),
    run("git add -A && git commit -qm 'Start the shop'"),
    run("npm_config_user_agent=npm npx husky init"),
    run("printf 'npm test\\n' > .husky/pre-commit"),
    run("npm run prepare && ls -A .husky"),
    run("git config core.hooksPath && git config user.name 'Ada of the shop'"),
    run("git add -A && git commit -m 'Check before each commit' 2>&1 | tail -3 && git log -1 --format='%an %s'"),
    start("server", "exec npm start"),
    run(
      'curl -sf --retry 60 --retry-delay 1 --retry-connrefused "http://127.0.0.1:PORT/health" -o health.json; cat health.json',
    ),
    run('curl -s "http://127.0.0.1:PORT/" | grep -o "<h1>.*</h1>"'),
    run("node scripts/browser.js && cat page.txt"),
    run('npm run -s test:browser -- "http://127.0.0.1:PORT/" && cat page.txt'),
    stop("server"),
    run(
      "printf \"import assert from 'node:assert/strict';\\nimport test from 'node:test';\\ntest('types', (): void => assert.ok(true));\\n\" > test/types.test.ts && npx tsx --test test/types.test.ts > /dev/null",
    ),
    runFailing(
      "git checkout -qb discount && sed -i 's/sum + price/sum + price * 0.9/' src/total.ts && npm run build && npm test",
    ),
    run(
      "sed -i 's/price \\* 0.9/price * 1/' src/total.ts && npm run build && git diff && git commit -aqm 'Give a discount' && git status --short",
    ),
    run("git stash -u && git stash pop && ls -a"),
    run("git checkout -q main && git clean -fd && git merge --no-edit discount"),
    start("watcher", "exec node scripts/watch.js"),
    run(
      "until [ -e /tmp/watching ]; do sleep 0.1; done; touch first.txt last.txt; until [ -s names.json ]; do sleep 0.1; done; cat names.json",
    ),
    stop("watcher"),
    run(
      "rm first.txt last.txt names.json && npm install --save-dev --save-exact is-number@7.0.0 && npm uninstall is-number",
    ),
    run("npm version patch -m 'Version %s' && git describe --tags"),
    run("npm pack --dry-run && npm pkg set description='A shop' && npm pkg get description"),
    run("rm -rf node_modules && npm ci"),
    run("npx tsc --noEmit -p . && node -e 'console.log(require(\"./package.json\").version)'"),
    run("npm exec -- prettier --version && npm config get fund && npm root"),
    run(
      "cp -r src /tmp/src && mv src source && find source -type f | xargs sed -n 1p && mv source src && diff -r src /tmp/src",
    ),
    run("git init -q --bare /tmp/shop.git && git remote add origin /tmp/shop.git && git push -u origin main"),
    run("git worktree add -q .worktrees/fix && cd .worktrees/fix && git log --oneline | wc -l"),
    run("git worktree remove --force .worktrees/fix && git worktree prune && ls -a"),
    run("git diff > /tmp/shop.patch && git checkout -q -- . && patch -p1 < /tmp/shop.patch && git status --short"),
  ],
};
