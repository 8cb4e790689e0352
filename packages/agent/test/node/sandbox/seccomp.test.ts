/** Tests node/sandbox/seccomp.ts: what the filter refuses to real programs in a sandbox, and what goes on working. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { buildFilter } from "../../../src/node/sandbox/seccomp.ts";
import { createSandboxFolders, ranIn, type SandboxFolders, sandboxOptions } from "../../support/sandbox-folders.ts";

/** Runs a Python program in the sandbox of this world and gives back what it printed. */
async function runPython(
  program: string,
  folders: SandboxFolders = createSandboxFolders(),
  parts: Parameters<typeof sandboxOptions>[1] = {},
): Promise<string> {
  writeFileSync(join(folders.workspace, "program.py"), program);
  const { end, text } = await ranIn(sandboxOptions(folders, parts), "/usr/bin/env python3 program.py");
  return end.type === "ended" && end.exitCode === 0 ? text : `${JSON.stringify(end)} ${text}`;
}

/** Calls by number, and prints the name of the error of each. */
const CALLS = `
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
def call(*words):
    ctypes.set_errno(0)
    result = libc.syscall(*[ctypes.c_long(word) if isinstance(word, int) else word for word in words])
    return "done" if result >= 0 else errno.errorcode[ctypes.get_errno()]
`;

const isX64 = process.arch === "x64";

describe("the filter refuses", () => {
  test.each([
    { socketList: "/proc/net/unix", unix: "1 made" },
    { socketList: "/proc/net/missing", unix: "1 1" },
  ])("PROXY1 sockets of any family except internet, netlink and unix ($unix)", async ({ socketList, unix }) => {
    const program = `
import socket
for family in (1, 2, 3, 5, 9, 10, 15, 16, 17, 29, 31, 38, 40, 44):
    try:
        kind = socket.SOCK_RAW if family == 16 else socket.SOCK_STREAM
        socket.socket(family, kind).close()
        print(family, "made")
    except OSError as error:
        print(family, error.errno)
`;
    const made = ["2 made", "10 made", "16 made", unix];
    const refused = [3, 5, 9, 15, 17, 29, 31, 38, 40, 44].map((family) => `${family} 1`);
    const lines = (await runPython(program, createSandboxFolders(), { socketList })).trim().split("\n");
    expect(lines.toSorted()).toEqual([...made, ...refused].toSorted());
  });

  test("PROXY1 a pair of datagram sockets if the machine does not list its sockets", async () => {
    const program = `
import socket
for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK):
    try:
        a, b = socket.socketpair(socket.AF_UNIX, kind)
        a.send(b"x"); print(b.recv(1).decode())
    except OSError as error:
        print(error.errno)
`;
    expect(await runPython(program)).toBe("x\nx\nx\nx\nx\n");
    expect(await runPython(program, createSandboxFolders(), { socketList: "/proc/net/missing" })).toBe(
      "x\nx\n1\n1\n1\n",
    );
  });

  test.runIf(isX64)(
    "PROXY2 io_uring, keyrings, user namespaces, and calls that lead past mounts or into the kernel",
    async () => {
      const program = `${CALLS}
NEWUSER = 0x10000000
print("io_uring", call(425, 1, 0), call(426, 0, 0, 0, 0, 0, 0), call(427, 0, 0, 0, 0))
print("keys", call(248, b"user", b"x", b"y", 1, -3), call(249, b"user", b"x", 0, 0), call(250, 0, -3, 0))
print("users", call(272, NEWUSER), call(272, NEWUSER | 0x40000000), call(56, NEWUSER | 17, 0, 0, 0, 0), call(435, 0, 0))
print("kernel", call(321, 0, 0, 0), call(323, 0), call(298, 0, 0, -1, -1, 0), call(304, 0, 0, 0))
print("terminal", call(16, 0, 0x5412, b"x"), call(16, 0, 0x541c, b"x"), call(16, 0, 0x5412 | 1 << 32, b"x"))
print("others", call(39), call(272, 0))
`;
      expect((await runPython(program)).trim().split("\n")).toEqual([
        "io_uring ENOSYS ENOSYS ENOSYS",
        "keys EPERM EPERM EPERM",
        "users EPERM EPERM EPERM ENOSYS",
        "kernel EPERM EPERM EPERM EPERM",
        "terminal EPERM EPERM EPERM",
        "others done done",
      ]);
    },
  );

  test.runIf(isX64)("PROXY2 calls of x32, with and without their high bit", async () => {
    const program = `${CALLS}
print(call(0x40000000 | 39), call(0x40000000 | 41, 1, 1, 0), call(514, 0, 0x5412, b"x"), call(521))
`;
    expect(await runPython(program)).toBe("ENOSYS ENOSYS ENOSYS ENOSYS\n");
  });

  test.runIf(isX64)("PROXY2 calls of another architecture, by ending the program", async () => {
    // mov eax, 20 (getpid of i386); int 0x80; ret
    const program = `
import ctypes, mmap, os
code = b"\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3"
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(code)
child = os.fork()
if child == 0:
    ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
    os._exit(0)
print(os.WTERMSIG(os.waitpid(child, 0)[1]))
`;
    expect(await runPython(program)).toBe("31\n");
  });

  test("PROXY2 nothing by an inherited descriptor: the command does not get it", async () => {
    const { text } = await ranIn(
      sandboxOptions(createSandboxFolders()),
      "ls /proc/$$/fd; grep Seccomp: /proc/$$/status",
    );
    expect(text).toMatch(/^0\n1\n2\n(?:255\n)?Seccomp:\t2\n$/);
  });
});

describe("the filter allows", () => {
  test("PROXY3 a Node program and its child to communicate, and threads to run", async () => {
    const folders = createSandboxFolders();
    writeFileSync(
      join(folders.workspace, "parent.cjs"),
      `const { fork } = require("node:child_process");
       const { Worker } = require("node:worker_threads");
       if (process.send) process.send("from child", () => process.disconnect());
       else fork(__filename).on("message", (text) => {
         console.log(text);
         new Worker('require("node:worker_threads").parentPort.postMessage("from thread")', { eval: true }).on("message", console.log);
       });`,
    );
    expect((await ranIn(sandboxOptions(folders), "$NODE parent.cjs")).text).toBe("from child\nfrom thread\n");
  });

  test("PROXY3 git, npm, pip, the C compiler and Python's processes to run", async () => {
    const folders = createSandboxFolders();
    const commands = [
      "git --version >/dev/null && git status --porcelain >/dev/null && echo git",
      "npm --version >/dev/null && echo npm",
      "python3 -m pip --version >/dev/null && echo pip",
      "(! command -v gcc >/dev/null || (echo 'int main(){return 0;}' >a.c && gcc -o a a.c && ./a)) && echo gcc",
      `python3 -c 'import multiprocessing as m; m.set_start_method("fork"); m.Pool(2).map(abs, [1]); print("pool")'`,
      `/usr/bin/env python3 -c 'import multiprocessing as m; m.set_start_method("forkserver"); m.Pool(2).map(abs, [1]); print("forkserver")'`,
      `python3 -c 'import asyncio; asyncio.run(asyncio.sleep(0)); import subprocess; subprocess.run(["true"]); print("async")'`,
    ];
    expect((await ranIn(sandboxOptions(folders), commands.join("\n"))).text).toBe(
      "git\nnpm\npip\ngcc\npool\nforkserver\nasync\n",
    );
  });
});

describe("the filter program", () => {
  test.each(["x64", "arm64", "riscv64"])("PROXY2 is built for %s, and every jump stays in it", (architecture) => {
    const bytes = Buffer.from(buildFilter({ unixSockets: false }, architecture) ?? []);
    const count = bytes.length / 8;
    expect(count).toBeGreaterThan(50);
    for (let at = 0; at < count; at += 1) {
      const isJump = (bytes.readUInt16LE(at * 8) & 7) === 5;
      if (isJump) for (const offset of [2, 3]) expect(at + 1 + bytes.readUInt8(at * 8 + offset)).toBeLessThan(count);
    }
    expect(bytes.readUInt16LE(bytes.length - 8)).toBe(6);
  });

  test("PROXY2 does not exist for an unknown architecture", () => {
    expect(buildFilter({ unixSockets: false }, "ppc64")).toBe(null);
  });
});
