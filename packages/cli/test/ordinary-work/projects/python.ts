/** A Python project with a virtual environment, without a registry. */

import { type Project, run, runFailing, start, stop } from "../project.ts";

const PACKAGE = `"""Counts words."""


def count(text):
    words = {}
    for word in text.split():
        words[word] = words.get(word, 0) + 1
    return words
`;

const TEST = `import unittest

from report.words import count


class CountTest(unittest.TestCase):
    def test_counts_each_word(self):
        self.assertEqual(count("a b a"), {"a": 2, "b": 1})

    def test_counts_nothing(self):
        self.assertEqual(count(""), {})
`;

const PROCESSES = `"""Squares numbers in worker processes of each kind, and keeps a dictionary in a manager process."""
import multiprocessing
import sys


def square(number):
    return number * number


if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        print(pool.map(square, range(5)))
    if sys.argv[1] == "forkserver":
        with multiprocessing.get_context("forkserver").Manager() as manager:
            shared = manager.dict(answer=42)
            print(dict(shared))
`;

const STORE = `import sqlite3

with sqlite3.connect("words.db") as database:
    database.execute("create table words (word text primary key, count integer)")
    database.executemany("insert into words values (?, ?)", [("a", 2), ("b", 1)])
print(sqlite3.connect("words.db").execute("select sum(count) from words").fetchone())
`;

const STREAMS = `import asyncio
import socket


async def main():
    process = await asyncio.create_subprocess_exec("echo", "hello", stdout=asyncio.subprocess.PIPE)
    output, _ = await process.communicate()
    left, right = socket.socketpair()
    left.sendall(output)
    print(right.recv(100).decode().strip())


asyncio.run(main())
`;

/** What it has seen is in a file in `/tmp`, so that the next change can wait for it. */
const WATCH = `import os
import time

seen = set()
with open("/tmp/seen.log", "w", buffering=1) as log:
    while not os.path.exists("/tmp/stop-watching"):
        for name in sorted(set(os.listdir(".")) - seen):
            seen.add(name)
            print(name, file=log)
        time.sleep(0.005)
with open("seen.txt", "w") as file:
    file.write("\\n".join(sorted(seen)) + "\\n")
print("done")
`;

export const python: Project = {
  name: "python",
  folder: "projects/report",
  needsRegistry: false,
  tools: ["python3", "patch", "tar"],
  files: {
    "README.md": "# report\n\nCounts words.\n",
    "setup.py": 'from setuptools import setup\n\nsetup(name="report", version="1.0", packages=["report"])\n',
    "report/__init__.py": "",
    "report/words.py": PACKAGE,
    "tests/__init__.py": "",
    "tests/test_words.py": TEST,
    "scripts/processes.py": PROCESSES,
    "scripts/store.py": STORE,
    "scripts/streams.py": STREAMS,
    "scripts/watch.py": WATCH,
    "data/words.csv": "word,count\nb,1\na,2\n",
  },
  commands: [
    run("ls -a"),
    run("git init"),
    run("printf '.venv/\\n__pycache__/\\n*.egg-info/\\n*.db\\n' > .gitignore"),
    run("git add -A && git commit -qm 'Count words'"),
    run("python3 -m venv .venv"),
    run(". .venv/bin/activate && python --version && pip --version && which python"),
    run(". .venv/bin/activate && python -m unittest -q"),
    runFailing(".venv/bin/pip install requests"),
    run(".venv/bin/pip install --no-index --no-build-isolation -e ."),
    run(".venv/bin/pip list"),
    run(".venv/bin/python -c 'import report.words; print(report.words.count(\"x y\"))' > count.txt"),
    run(".venv/bin/python scripts/processes.py fork"),
    run(".venv/bin/python scripts/processes.py spawn"),
    run(".venv/bin/python scripts/processes.py forkserver"),
    run(".venv/bin/python scripts/streams.py"),
    run(".venv/bin/python scripts/store.py"),
    run(".venv/bin/python -m compileall -q report"),
    run("python3 -m zipapp report -m 'words:count' -o /tmp/report.pyz && ls /tmp/report.pyz"),
    run("git status --porcelain --ignored > status.txt; cat status.txt"),
    run("git checkout -qb sorted"),
    run("sed -i 's/return words/return dict(sorted(words.items()))/' report/words.py && git diff --stat"),
    run(".venv/bin/python -m unittest discover -s tests -t . && git commit -qam 'Sort the words'"),
    run("(head -1 data/words.csv; tail -n +2 data/words.csv | sort) > data/sorted.csv"),
    run("git stash -u && ls data && git stash pop"),
    run("git diff HEAD~1 > /tmp/sorted.patch && git checkout -q main && patch -p1 < /tmp/sorted.patch"),
    run("git checkout -q -- . && git clean -fd"),
    run("git merge -q sorted && git branch -d sorted"),
    start("server", 'exec .venv/bin/python -m http.server "PORT" --bind 127.0.0.1 --directory data'),
    run('curl -sf --retry 60 --retry-delay 1 --retry-connrefused "http://127.0.0.1:PORT/words.csv" -o fetched.csv'),
    start("watcher", "exec python3 scripts/watch.py"),
    run("touch first.tmp; until grep -sqx first.tmp /tmp/seen.log; do sleep 0.1; done; mv first.tmp second.tmp"),
    run(
      "until grep -qx second.tmp /tmp/seen.log; do sleep 0.1; done; rm second.tmp; touch /tmp/stop-watching" +
        "; until [ -s seen.txt ]; do sleep 0.1; done; cat seen.txt",
    ),
    stop("watcher"),
    stop("server"),
    run("git tag -a v1.0 -m 'Version 1.0' && git describe"),
    run("git init -q --bare /tmp/report.git && git remote add origin /tmp/report.git && git push -u origin main"),
    run("git push --tags && git ls-remote --tags origin"),
    run("find . -name '*.py' -not -path './.venv/*' | sort | xargs wc -l > lines.txt"),
    run("rm -rf .venv && git clean -fdX && git status --short"),
  ],
};
