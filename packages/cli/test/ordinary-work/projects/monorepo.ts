/** A monorepo of pnpm, in which the agent is started in the folder of one package. */

import { type Project, run, start, stop } from "../project.ts";

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const root = {
  name: "demo",
  private: true,
  type: "module",
  scripts: { build: "pnpm -r build", test: "pnpm -r test" },
  devDependencies: { typescript: "5.9.3" },
};

const app = {
  name: "@demo/app",
  version: "1.0.0",
  private: true,
  type: "module",
  scripts: { build: "tsc -p .", test: "node --test --test-reporter=dot", start: "node server.js" },
  dependencies: { "@demo/words": "workspace:*" },
};

const words = {
  name: "@demo/words",
  version: "1.0.0",
  type: "module",
  exports: "./index.js",
  scripts: { build: "node --check index.js", test: "node --test --test-reporter=dot" },
};

const compilerOptions = { module: "nodenext", outDir: "dist", rootDir: "src", strict: true };

const SERVER = `import { createServer } from "node:http";
import { capital } from "@demo/words";

createServer((_, response) => response.end(capital("ready") + "\\\\n")).listen(Number(process.env.PORT), "127.0.0.1");
`;

export const monorepo: Project = {
  name: "monorepo",
  folder: "work/demo",
  startsIn: "packages/app",
  needsRegistry: true,
  tools: ["pnpm", "tar", "patch"],
  files: {
    "package.json": json(root),
    "pnpm-workspace.yaml": "packages:\n  - packages/*\n",
    ".gitignore": "node_modules/\ndist/\n",
    "packages/app/package.json": json(app),
    "packages/app/tsconfig.json": json({ compilerOptions, include: ["src"] }),
    "packages/app/src/main.ts": "export const greeting: string = 'hello';\n",
    "packages/app/server.js": SERVER,
    "packages/app/app.test.js":
      'import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { capital } from "@demo/words";\n\ntest("uses the words", () => assert.equal(capital("a"), "A"));\n',
    "packages/words/package.json": json(words),
    "packages/words/index.js": "export const capital = (word) => word[0].toUpperCase() + word.slice(1);\n",
    "packages/words/words.test.js":
      'import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { capital } from "./index.js";\n\ntest("writes a capital", () => assert.equal(capital("ab"), "Ab"));\n',
  },
  before:
    "git init -q && git add -A && git commit -qm 'Start' && pnpm install --silent && git add -A && git commit -qm 'Lock'",
  commands: [
    run("ls -a && git status --short && git rev-parse --show-toplevel"),
    run("pnpm install"),
    run("pnpm run build"),
    run("pnpm test"),
    run("pnpm -r test"),
    run("pnpm --filter @demo/words build"),
    run("pnpm list --depth 0"),
    run("pnpm exec tsc --version"),
    run("cat ../words/index.js && grep -rn capital ../words --include='*.js' | sort"),
    run("git log --oneline -- . && git ls-files | sort"),
    run("git checkout -qb greet && sed -i 's/hello/good day/' src/main.ts && pnpm run build && cat dist/main.js"),
    run("git add -A && git commit -qm 'Greet' && git log -1 --stat --format=%s"),
    start("server", "exec node server.js"),
    run('curl -sf --retry 60 --retry-delay 1 --retry-connrefused "http://127.0.0.1:PORT/" -o ready.txt; cat ready.txt'),
    stop("server"),
    run("printf 'export const bye = \"bye\";\\n' > src/bye.ts && git stash -u && ls src && git stash pop && ls src"),
    run("git clean -fdn . && git clean -fd . && ls -a"),
    run("git config user.name 'Ada of the app' && git config user.name"),
    run(
      "git checkout -q main && printf '\\n# App\\n' > README.md && git add README.md && git commit -qm 'Describe the app'",
    ),
    run("git merge --no-edit greet && git log --oneline --graph"),
    run("git checkout -qb fix greet && echo '// fixed' >> server.js && git commit -aqm 'Fix' && git rebase main"),
    run("git checkout -q main && git merge --ff-only fix && git branch -d fix greet && git branch -a"),
    run("git tag app-1.0.0 && git describe --tags"),
    run("git init -q --bare /tmp/demo.git && git remote add origin /tmp/demo.git && git push -u origin main --tags"),
    run("git worktree add -q .worktrees/next -b next && ls -a .worktrees/next && git worktree remove .worktrees/next"),
    run(
      "cd ../.. && git bisect start HEAD HEAD~2 && git bisect run sh -c '! grep -q fixed packages/app/server.js' && git bisect reset",
    ),
    run("pnpm add --save-exact is-number@7.0.0"),
    run("pnpm remove is-number && git status --short"),
    run(
      "cp -r src /tmp/src && tar -C /tmp -cf /tmp/src.tar src && mkdir copy && tar -C copy -xf /tmp/src.tar && diff -r src copy/src",
    ),
    run(
      "rm -r copy && sed -i 's/good day/good evening/' src/main.ts && git diff > /tmp/evening.patch && git checkout -q -- . && patch -p1 -d ../.. < /tmp/evening.patch",
    ),
    run("git commit -aqm 'It is evening' && git revert --no-edit HEAD && git log --oneline | head -3"),
    run("echo '// words' >> ../words/index.js"),
    run("git -C ../.. checkout -q -- packages/words/index.js && git status --short"),
    run("rm -rf node_modules dist && pnpm install --offline --frozen-lockfile && ls -a node_modules"),
  ],
};
