/** A Go module without dependencies, and a long session with git. */

import { type Project, run, runFailing, start, stop } from "../project.ts";

const MAIN = `package main

import (
	"fmt"
	"os"

	"example.com/greet/names"
)

//go:generate sh -c "echo package main > generated.go"

func main() {
	if len(os.Args) > 2 {
		os.Exit(3)
	}
	fmt.Println("Hello,", names.Title("ada"))
}
`;

const NAMES = `// Package names writes names.
package names

import "strings"

// Title returns the name with a capital letter.
func Title(name string) string {
	return strings.ToUpper(name[:1]) + name[1:]
}
`;

const TEST = `package names

import "testing"

func TestTitle(t *testing.T) {
	if got := Title("ada"); got != "Ada" {
		t.Errorf("got %q", got)
	}
}

func BenchmarkTitle(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Title("ada")
	}
}
`;

const SERVER = `package main

import (
	"fmt"
	"net"
	"os"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		panic(err)
	}
	for {
		connection, err := listener.Accept()
		if err != nil {
			panic(err)
		}
		fmt.Fprint(connection, "HTTP/1.0 200 OK\\r\\nContent-Length: 6\\r\\n\\r\\nready\\n")
		connection.Close()
	}
}
`;

export const go: Project = {
  name: "go",
  folder: "src/greet",
  needsRegistry: false,
  tools: ["go", "gofmt", "tar", "patch"],
  files: {
    "go.mod": "module example.com/greet\n\ngo 1.19\n",
    "main.go": MAIN,
    "names/names.go": NAMES,
    "names/names_test.go": TEST,
    "cmd/server/main.go": SERVER,
  },
  before: "git init -q && git add -A && git commit -qm 'Greet' && git tag start",
  commands: [
    run("git log --oneline && git status --short --ignored"),
    run("go version && go env GOMOD"),
    run("go build ./..."),
    run("go vet ./..."),
    run("go test ./..."),
    run("go test -run '^$' -bench . -benchtime 1x ./names"),
    run("go test -coverprofile cover.out ./names && go tool cover -func cover.out"),
    run("go mod tidy && git diff --exit-code go.mod"),
    run("go run . && go run . one two; echo $?"),
    run("go generate ./... && gofmt -l ."),
    run("go build -o bin/greet . && ./bin/greet && printf 'bin/\\ncover.out\\n' > .gitignore"),
    runFailing("go get example.com/missing"),
    run("go install ./cmd/server && ls ~/go/bin"),
    start("server", "exec ~/go/bin/server"),
    run('curl -sf --retry 60 --retry-delay 1 --retry-connrefused "http://127.0.0.1:PORT/" -o ready.txt; cat ready.txt'),
    stop("server"),
    run("rm ready.txt generated.go && git add -A && git commit -qm 'Ignore what is built'"),
    run("git config user.name 'Ada of this project' && git config user.email ada@project.example"),
    run("git config alias.last 'log -1 --format=%s' && git last"),
    run("git checkout -qb polite && sed -i 's/Hello/Good day/' main.go && git commit -qam 'Be polite'"),
    run("git log -1 --format='%an <%ae>'"),
    run("git checkout -q main && printf '\\n// The end.\\n' >> names/names.go && git commit -qam 'Mark the end'"),
    run("git merge --no-edit polite && git log --oneline --graph"),
    run("git checkout -qb other polite && git mv names/names.go names/title.go && git commit -qm 'Rename a file'"),
    run("git rebase main && git log --oneline"),
    run("git checkout -q main && git merge --ff-only other && git branch -D polite"),
    run("echo draft > draft.txt && echo more >> main.go && git stash -u && git stash list && git stash pop"),
    run("git checkout -- main.go && git clean -fdn && git clean -fd"),
    run("git bisect start HEAD start && git bisect run sh -c '! grep -q \"Good day\" main.go' && git bisect reset"),
    run("git worktree add -q .worktrees/fix -b fix && ls -a .worktrees/fix && git worktree list"),
    run("cd .worktrees/fix && sed -i 's/day/evening/' main.go && git commit -qam 'It is evening'"),
    run("git worktree remove .worktrees/fix && git branch -D fix && git worktree prune && rmdir .worktrees"),
    run("git remote add origin https://example.com/greet.git && git remote set-url origin /tmp/greet.git"),
    run("git init -q --bare /tmp/greet.git && git push -u origin main && git push origin start"),
    run("git fetch -q && git status -sb && git remote rename origin upstream && git remote remove upstream"),
    run("git tag -a v1 -m 'One' && git show --stat v1 && git tag -d start"),
    run("cp -r names /tmp/names && mv names names-old && tar -C /tmp -cf - names | tar -xf - && rm -r names-old"),
    run("git diff --exit-code && git format-patch -1 --stdout > /tmp/last.patch && git reset -q --hard HEAD~1"),
    run("git am -q /tmp/last.patch && git cherry-pick v1~1; git cherry-pick --abort; git reset -q --hard v1"),
    run("git revert --no-edit HEAD && git reset --soft HEAD~1 && git restore --staged . && git restore ."),
    run("git submodule status && git gc -q && git fsck"),
    run(
      "chmod 600 go.mod && ln -s names/title.go link.go && mkdir -p empty/inner && find . -path ./.git -prune -o -print | sort",
    ),
  ],
};
