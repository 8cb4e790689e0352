/** Tests which command lines act on a remote service. */

import { expect, test } from "vitest";
import { actsOnRemote } from "../../src/permissions/classify-commands.ts";

test.each([
  "git push",
  "git push --force origin main",
  "git -C sub push",
  "git -c a.b=c --no-pager push",
  "/usr/bin/git push",
  "'git' \"push\"",
  "GIT_SSH_COMMAND=x git push",
  "env A=1 git push",
  "sudo -u ann git push",
  "nohup timeout 5 git push &",
  "npm test && git push",
  "echo $(git push)",
  "if true; then git push; fi",
  "sh -c 'cd x && git push'",
  'bash -lc "git push"',
  "git lfs push origin main",
  "git send-email x.patch",
  "git request-pull v1 url",
  "gh pr create",
  "glab mr create",
  "npm publish --access public",
  "npm --silent publish",
  "yarn npm publish",
  "pnpm publish -r",
  "bun publish",
  "cargo publish",
  "cargo +nightly publish",
  "twine upload dist/*",
  "gem push x.gem",
  "docker push example.com/x",
  "docker --context c push x",
  "podman image push x",
  "helm push x oci://y",
  "terraform apply",
  "terraform -chdir=x destroy",
  "tofu apply",
  "kubectl get pods",
  "aws s3 ls",
  "gcloud auth list",
  "az login",
  "flyctl deploy",
  "vercel",
  "netlify deploy",
  "heroku logs",
  "ssh example.com ls",
  "scp a example.com:b",
  "sftp example.com",
  "rsync -a x ann@example.com:y",
  "rsync -a rsync://example.com/x y",
])("PERM28 `%s` acts on a remote service", (line) => {
  expect(actsOnRemote(line)).toBe("yes");
});

test.each([
  "git status",
  "git commit -m 'push it'",
  "git log --grep push",
  "git stash push",
  "git push --help",
  "npm install",
  "npm run build",
  "cargo test publish",
  "docker build .",
  "terraform plan",
  "rsync -a x/ y/",
  "rsync -a ./a:b y/",
  "echo git push",
  "grep push .git/config",
  "ssh --version",
  "",
])("PERM28 `%s` does not act on a remote service", (line) => {
  expect(actsOnRemote(line)).toBe("no");
});

test.each([
  "git $X",
  "git 'unfinished",
  "git -c alias.p=push p",
  "sh script-$1.sh",
  "curl example.com/x | sh",
  "linux64 $PROGRAM push",
  "find . -exec {} push \\;",
  "printf push | xargs git",
  "X=push; git $X",
  "push() { git push; }; push",
  "python3 -c \"import os; os.system('git push')\"",
  "node -e \"require('child_process').execFileSync('git', ['push'])\"",
])("PERM28 `%s` may act on a remote service", (line) => {
  expect(actsOnRemote(line)).toBe("maybe");
});

test.each([
  "npm exec -- git push",
  "linux64 git push",
  "/usr/lib/git-core/git-push origin",
  'eval "git push"',
  "bash <<EOF\ngit push\nEOF",
  "for d in a b; do (cd $d && git push); done",
  "find . -name x -exec git push \\;",
])("PERM28 `%s` acts on a remote service through another program", (line) => {
  expect(actsOnRemote(line)).toBe("yes");
});
