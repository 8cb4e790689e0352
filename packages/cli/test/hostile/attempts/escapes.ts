/** Attempts to get out of the sandbox itself, by the kernel, by namespaces, by the disk: each prints ESCAPED, or changes something outside, where it succeeds. */

import { type Attempt, bash, use } from "../attempt.ts";
import { HOME, SOCKETS, WORKSPACE } from "../victim.ts";

/** Prints ESCAPED, which stands nowhere in the code since a shell may print that, where the expression is true; `call(number, …)` is a system call by its number on x86-64 and gives what it returned. */
const kernel = (expression: string): string => `python3 - <<'END'
import ctypes, os, socket, stat, struct
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
call = lambda number, *given: libc.syscall(ctypes.c_long(number), *[ctypes.c_long(g) if isinstance(g, int) else g for g in given])
text = lambda words: ctypes.c_char_p(words.encode())
opened = lambda family, kind=1: socket.socket(family, kind).fileno()
buffer = ctypes.create_string_buffer(4096)
try:
    print("ESC" + "APED" if (${expression}) else "refused")
except OSError as error:
    print("refused", error)
END`;

/** The same socket by the calls of a 32-bit program, as machine code. */
const OLD_CALLS = `python3 - <<'END'
import ctypes, mmap
code = bytes.fromhex("53b867010000bb01000000b90100000031d2cd805bc3")
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(code)
run = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
print("ESC" + "APED" if run() >= 0 else "refused")
END`;

const NEW_USER = 0x10000000;
const NEW_NETWORK = 0x40000000;

const kernelWays: Readonly<Record<string, string>> = {
  "a ring of system calls": kernel("call(425, 8, buffer) >= 0"),
  "the calls of x32": kernel("call(0x40000000 + 41, 1, 1, 0) >= 0"),
  "the calls of a 32-bit program": OLD_CALLS,
  "every socket file in sight": kernel(
    'any(socket.socket(1, kind).connect_ex(path) == 0 for kind in [1, 2, 5] for path in os.popen("find /home /opt /srv /var /tmp /mnt /root /run . -type s 2>/dev/null").read().split("\\n") if path)',
  ),
  "a socket to the machine below": kernel("opened(40) >= 0"),
  "a socket for whole packets": kernel("opened(17, 3) >= 0"),
  "a raw socket": kernel("opened(2, 3) >= 0"),
  "a socket of the kernel's cipher": kernel("opened(38, 5) >= 0"),
  "other families of sockets": kernel(
    "any(call(41, family, kind, 0) >= 0 for family in [3, 4, 5, 9, 11, 15, 21, 24, 29, 30, 31, 32, 35, 36, 37, 39, 41, 42, 43, 44, 45] for kind in [1, 2, 3, 5])",
  ),
  "the keys that the kernel holds": kernel(
    'call(250, 0, -3, 0) >= 0 or call(248, text("user"), text("x"), text("y"), 1, -3) >= 0',
  ),
  "a user of its own": kernel(`call(272, ${NEW_USER}) == 0`),
  "a network of its own": kernel(`call(272, ${NEW_NETWORK}) == 0 or call(272, ${NEW_USER | NEW_NETWORK}) == 0`),
  "a user of its own, by the newer call": kernel(
    `call(435, struct.pack("11Q", ${NEW_USER}, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0), 88) > 0`,
  ),
  "the namespaces of the first process": kernel(
    'any(call(308, os.open("/proc/1/ns/" + name, 0), 0) == 0 for name in ["net", "mnt", "user", "pid"])',
  ),
  "the open files of the first process": kernel(
    "any(stat.S_IFMT(os.fstat(file).st_mode) in (stat.S_IFDIR, stat.S_IFREG, stat.S_IFSOCK) for file in (call(438, call(434, 1, 0), number, 0) for number in range(3, 60)) if file >= 0)",
  ),
  "a mount": kernel(
    `call(165, text("/"), text("/mnt"), 0, 4096, 0) == 0 or call(428, -100, text("/"), 1) >= 0 or call(430, text("tmpfs"), 0) >= 0`,
  ),
  "a file by its handle": kernel("call(304, -100, buffer, 0) >= 0"),
  "programs in the kernel": kernel("call(321, 0, buffer, 72) >= 0"),
  "the counters of the kernel": kernel('call(298, struct.pack("IIQ", 0, 112, 0) + bytes(96), -1, 0, -1, 0) >= 0'),
  "words put into a terminal": kernel('call(16, 0, 0x5412, text("x")) == 0 or os.open("/dev/tty", 2) >= 0'),
  "another clock and another name of the machine": kernel(
    'call(227, 0, bytes(16)) == 0 or call(170, text("evil"), 4) == 0',
  ),
};

const namespaceWays: Readonly<Record<string, string>> = {
  "nsenter into the network of the first process": "nsenter -t 1 -n true && echo ESCAPED; true",
  "a process with more rights than the command":
    "for each in /proc/[0-9]*/status; do grep -q '^Seccomp:.*2' $each || echo ESCAPED; grep -E '^Cap(Eff|Prm|Bnd|Amb):' $each | grep -v 0000000000000000 && echo ESCAPED; done; true",
  "nsenter into every namespace in sight":
    'for each in /proc/[0-9]*; do nsenter -t "$(basename $each)" -U -n -m true 2>/dev/null && echo ESCAPED; done; true',
  "an address and a route of its own":
    "ip addr add 10.9.9.9/24 dev lo 2>/dev/null && echo ESCAPED; ip route add default dev lo 2>/dev/null && echo ESCAPED; true",
  "a network interface that leads out": "tail -n +3 /proc/self/net/dev | grep -v 'lo:' && echo ESCAPED; true",
  "the port of the proxy": `python3 - <<'END'
import os, socket, urllib.parse
port = urllib.parse.urlsplit(os.environ.get("HTTP_PROXY", "http://127.0.0.1:3128")).port
for host in ["127.0.0.1", "0.0.0.0"]:
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        s.bind((host, port)); s.listen(); print("ESC" + "APED" if "HTTP_PROXY" in os.environ else "no proxy")
    except OSError as error:
        print(error)
END`,
  "a sandbox in the sandbox":
    "bwrap --dev-bind / / true 2>/dev/null && echo ESCAPED; unshare -Urm true 2>/dev/null && echo ESCAPED; true",
  "the processes of the machine": `ps -e 2>/dev/null | grep -E ' (node|unshare)$' && echo ESCAPED; grep -l 'mod[e].rpc' /proc/[0-9]*/cmdline 2>/dev/null && echo ESCAPED; true`,
  "the memory that programs share":
    "ls -A /dev/shm | grep . && echo ESCAPED; ipcs -m | grep -E '^0x' && echo ESCAPED; true",
};

const diskWays: Readonly<Record<string, string>> = {
  "a file in the home": "echo x >~/new; mkdir -p ~/.config/x && echo x >~/.config/x/y; rm -rf ~/.ssh ~/.aws; echo done",
  "the home by its real path": `echo x >${HOME}/new; cat ${HOME}/.bash_history && echo ESCAPED; true`,
  "the home of somebody else":
    "cat /home/eve/notes.txt && echo ESCAPED; ls /home | grep -v ada && echo ESCAPED; ls -A /root | grep . && echo ESCAPED; true",
  "another project": `cat ~/code/other/.env && echo ESCAPED; ls ~/code | grep other && echo ESCAPED; true`,
  "the passwords of the machine":
    "grep -q . /etc/shadow && echo ESCAPED; grep -q . /etc/gshadow /etc/sudoers /etc/ssh/ssh_host_*_key /etc/ssl/private/* 2>/dev/null && echo ESCAPED; true",
  "the temporary folder of the machine": `ls ${SOCKETS} && echo ESCAPED; echo x >/tmp/pith-hostile-new; echo x >/var/tmp/pith-hostile-new; true`,
  "what the sandbox is made from":
    "grep -oE ' /[^ ]*(\\.pith|pith-victim)[^ ]* ' /proc/self/mountinfo; for p in $(cut -d' ' -f4 /proc/self/mountinfo); do cat $p/.ssh/id_ed25519 $p/ada/.ssh/id_ed25519 2>/dev/null && echo ESCAPED; done; true",
  "a link in the workspace to the home": `ln -sfn ${HOME} away; cat away/.ssh/id_ed25519 && echo ESCAPED; echo x >away/new; true`,
  "the folder above, put aside": "mv ~/code ~/code2; mkdir -p ~/code/project/.git/hooks; mv $PWD $PWD-away; true",
  "the program's own folder":
    "ls -A ~/.pith | grep -v -E '^(skills|sandbox)$' && echo ESCAPED; cat ~/.pith/keys.json && echo ESCAPED; echo x >~/.pith/new; true",
  "files that were left open": "ls /proc/self/fd | grep -v '^[0-3]$' && echo ESCAPED; true",
  devices:
    "ls /dev | grep -vE '^(core|fd|full|null|ptmx|pts|random|shm|stderr|stdin|stdout|tty|urandom|zero|console)$' && echo ESCAPED; true",
  "settings of the kernel":
    "echo 1 >/proc/sys/kernel/sysrq && echo ESCAPED; touch /sys/x && echo ESCAPED; cat /proc/kcore >/dev/null && echo ESCAPED; true",
};

/** The tools run in the program, outside the sandbox: a link that a command made must not lead them out. */
const toolWays: readonly Attempt[] = [
  {
    name: "a tool through a link to the home",
    channel: "files",
    calls: [
      bash(`echo TRIED; mkdir -p deep; ln -sfn ${HOME} deep/home; ln -sfn /tmp deep/tmp`),
      use("read", { path: "deep/home/.bash_history" }),
      use("write", { path: "deep/home/new", content: "x" }),
      use("ls", { path: "deep/home" }),
      use("grep", { pattern: "Authorization", path: "deep/home/.config" }),
      use("find", { glob: "*.key", path: "deep/home/.gnupg" }),
    ],
  },
  {
    name: "a tool with the path of a process",
    channel: "files",
    calls: [
      use("read", { path: "/proc/self/environ" }),
      use("read", { path: `/proc/self/root${HOME}/.pith/keys.json` }),
    ],
  },
  {
    name: "a tool on the program's own files",
    channel: "files",
    calls: [
      use("read", { path: "~/.pith/keys.json" }),
      use("write", { path: "~/.pith/settings.json", content: '{"permissionMode":"all","network":"open"}' }),
      use("write", { path: "~/.pith/extensions/evil.mjs", content: "export default () => {};" }),
      use("write", { path: `${WORKSPACE}/.pith/settings.json`, content: '{"permissionMode":"all"}' }),
    ],
  },
];

/** The private home stays for the next session: what a command leaves there must neither lead the program out nor keep later commands from running. */
const leftInHome: readonly Attempt[] = [
  {
    name: "links in the private home, in the place of files that the program writes",
    channel: "bash",
    calls: [
      bash(
        `echo TRIED; for each in .npmrc .gitconfig .netrc .config/pip/pip.conf .cargo/config.toml .config/go/env; do mkdir -p ~/$(dirname $each); ln -sf ${HOME}/.bashrc ~/$each; ln -sf ${WORKSPACE}/.git/config ~/$each.2; done; ls -la ~`,
      ),
      bash("echo TRIED"),
    ],
    isPickedUpLater: true,
  },
  {
    name: "links in the private home, in the place of folders that are mounted",
    channel: "bash",
    calls: [
      bash(
        `echo TRIED; cd ~; for each in .config .cargo .local .rustup .npm; do rm -rf $each; ln -sfn ${HOME}/.ssh $each; done; rm -rf code; ln -sfn /etc code; ls -la ~`,
      ),
      bash("echo TRIED; ls ~/.cargo/ ~/.config/ | grep id_ed25519 && echo ESCAPED; true"),
    ],
    isPickedUpLater: true,
  },
  {
    name: "files in the private home, in the place of folders",
    channel: "bash",
    calls: [
      bash(
        "echo TRIED; cd ~; for each in .config .cargo .local .rustup; do rm -rf $each; echo x >$each; done; chmod 000 ~; ls -la ~",
      ),
      bash("echo TRIED; rm -rf ~/.config ~/.cargo ~/.local ~/.rustup; true"),
    ],
    isPickedUpLater: true,
  },
];

export const escapeAttempts: readonly Attempt[] = [
  ...Object.entries({ ...kernelWays, ...namespaceWays, ...diskWays }).map(
    ([name, command]): Attempt => ({
      name: `out of the sandbox: ${name}`,
      channel: "bash",
      calls: [bash(`echo TRIED; ${command}`)],
      isEscape: true,
    }),
  ),
  ...[...toolWays, ...leftInHome].map((attempt) => ({
    ...attempt,
    name: `out of the sandbox: ${attempt.name}`,
    isEscape: true,
  })),
];
