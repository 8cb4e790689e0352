/** Builds the system call filter of sandboxed commands, as the bytes that `bwrap --seccomp` reads. Calls that no rule refuses are allowed. */

/** Numbers of the filtered calls. aarch64 and riscv64 share theirs. */
const CALLS = {
  socket: { x64: 41, generic: 198 },
  socketpair: { x64: 53, generic: 199 },
  ioctl: { x64: 16, generic: 29 },
  clone: { x64: 56, generic: 220 },
  clone3: { x64: 435, generic: 435 },
  unshare: { x64: 272, generic: 97 },
  io_uring_setup: { x64: 425, generic: 425 },
  io_uring_enter: { x64: 426, generic: 426 },
  io_uring_register: { x64: 427, generic: 427 },
  add_key: { x64: 248, generic: 217 },
  request_key: { x64: 249, generic: 218 },
  keyctl: { x64: 250, generic: 219 },
  bpf: { x64: 321, generic: 280 },
  userfaultfd: { x64: 323, generic: 282 },
  perf_event_open: { x64: 298, generic: 241 },
  open_by_handle_at: { x64: 304, generic: 265 },
} as const;

const AUDIT_ARCHITECTURES = { x64: 0xc000003e, arm64: 0xc00000b7, riscv64: 0xc00000f3 } as const;

type Architecture = keyof typeof AUDIT_ARCHITECTURES;

const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const SOCK_STREAM = 1;
const SOCK_SEQPACKET = 5;
const SOCK_TYPE_MASK = 0xf;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
const CLONE_NEWUSER = 0x10000000;

/** A refused call: always, or depending on one argument. */
interface Rule {
  readonly call: keyof typeof CALLS;
  readonly error: "EPERM" | "ENOSYS";
  readonly when?: Condition;
}

interface Condition {
  readonly argument: number;
  /** The compared bits; all 32 by default. The kernel reads these arguments as 32 bits too. */
  readonly mask?: number;
  /** Whether `values` are refused, or all others. */
  readonly refuses: "these" | "others";
  readonly values: readonly number[];
}

function buildRules({ unixSockets }: FilterOptions): readonly Rule[] {
  const families = [AF_INET, AF_INET6, AF_NETLINK, ...(unixSockets ? [AF_UNIX] : [])];
  return [
    // Unix sockets where the machine's own cannot be covered, and families that a network namespace does not isolate (AF_VSOCK leads to the host of a virtual machine).
    { call: "socket", error: "EPERM", when: { argument: 0, refuses: "others", values: families } },
    ...(unixSockets ? [] : [UNCONNECTED_PAIRS_RULE]),
    // io_uring creates and connects sockets without these calls. Programs fall back if it is missing.
    { call: "io_uring_setup", error: "ENOSYS" },
    { call: "io_uring_enter", error: "ENOSYS" },
    { call: "io_uring_register", error: "ENOSYS" },
    // Kernel keyrings belong to the user, not to a namespace.
    { call: "add_key", error: "EPERM" },
    { call: "request_key", error: "EPERM" },
    { call: "keyctl", error: "EPERM" },
    // These type into the user's terminal.
    { call: "ioctl", error: "EPERM", when: { argument: 1, refuses: "these", values: [TIOCSTI, TIOCLINUX] } },
    // A user namespace gives capabilities over new mounts and networks. Bubblewrap before 0.8 cannot forbid them by itself.
    { call: "unshare", error: "EPERM", when: NEW_USER_NAMESPACE },
    { call: "clone", error: "EPERM", when: NEW_USER_NAMESPACE },
    // Its flags are in memory, which a filter cannot read. C libraries fall back to clone.
    { call: "clone3", error: "ENOSYS" },
    // Builds do not need these, and many kernel exploits start with them.
    { call: "bpf", error: "EPERM" },
    { call: "userfaultfd", error: "EPERM" },
    { call: "perf_event_open", error: "EPERM" },
    // Opens files by handle, bypassing mounts.
    { call: "open_by_handle_at", error: "EPERM" },
  ];
}

/** A datagram socket of a pair can still send to any socket file; stream and seqpacket sockets stay connected to each other. */
const UNCONNECTED_PAIRS_RULE: Rule = {
  call: "socketpair",
  error: "EPERM",
  when: { argument: 1, mask: SOCK_TYPE_MASK, refuses: "others", values: [SOCK_STREAM, SOCK_SEQPACKET] },
};

const NEW_USER_NAMESPACE: Condition = { argument: 0, mask: CLONE_NEWUSER, refuses: "these", values: [CLONE_NEWUSER] };

export interface FilterOptions {
  /** Whether commands may create unix sockets: a filter cannot see which path one is connected to. */
  readonly unixSockets: boolean;
}

/** Null on an architecture whose call numbers are not in the table. */
export function buildFilter(options: FilterOptions, architecture: string = process.arch): Uint8Array | null {
  if (!isSupported(architecture)) return null;
  const column = architecture === "x64" ? "x64" : "generic";
  const program = [
    ...checkArchitecture(architecture),
    ...buildRules(options).flatMap((rule) => refuseCall(rule, CALLS[rule.call][column])),
    returnAction(ALLOW),
  ];
  return new Uint8Array(Buffer.concat(program.map(encode)));
}

function isSupported(architecture: string): architecture is Architecture {
  return Object.hasOwn(AUDIT_ARCHITECTURES, architecture);
}

/** One instruction of classic BPF. Jumps count the skipped instructions. */
interface Instruction {
  readonly code: number;
  readonly ifTrue: number;
  readonly ifFalse: number;
  readonly value: number;
}

const LOAD_WORD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const AND = 0x54;
const RETURN = 0x06;

const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const REFUSE = 0x00050000;
const ERRORS = { EPERM: 1, ENOSYS: 38 } as const;

// Offsets in `struct seccomp_data`; all three architectures are little-endian.
const NUMBER_OFFSET = 0;
const ARCHITECTURE_OFFSET = 4;
const ARGUMENTS_OFFSET = 16;

/** The first x32 call number on x86-64. Most have a high bit too, but older kernels also accept them without it. */
const X32_FIRST = 512;

/** Kills a program of another architecture, which has other call numbers. */
function checkArchitecture(architecture: Architecture): readonly Instruction[] {
  const check = [
    load(ARCHITECTURE_OFFSET),
    jump(JUMP_EQUAL, AUDIT_ARCHITECTURES[architecture], 1, 0),
    returnAction(KILL_PROCESS),
  ];
  if (architecture !== "x64") return check;
  return [...check, load(NUMBER_OFFSET), jump(JUMP_AT_LEAST, X32_FIRST, 0, 1), returnAction(REFUSE | ERRORS.ENOSYS)];
}

function refuseCall({ error, when }: Rule, number: number): readonly Instruction[] {
  const refusal = returnAction(REFUSE | ERRORS[error]);
  const body = when ? compareArgument(when, refusal) : [refusal];
  return [load(NUMBER_OFFSET), jump(JUMP_EQUAL, number, 0, body.length), ...body];
}

function compareArgument(condition: Condition, refusal: Instruction): readonly Instruction[] {
  const { argument, mask = 0xffffffff, refuses, values } = condition;
  const [listed, other] = refuses === "these" ? [refusal, returnAction(ALLOW)] : [returnAction(ALLOW), refusal];
  return [
    load(ARGUMENTS_OFFSET + 8 * argument),
    jump(AND, mask, 0, 0),
    // Each match jumps to the last instruction, past the other values and the return in between.
    ...values.map((value, index) => jump(JUMP_EQUAL, value, values.length - index, 0)),
    other,
    listed,
  ];
}

function load(offset: number): Instruction {
  return { code: LOAD_WORD, ifTrue: 0, ifFalse: 0, value: offset };
}

function jump(code: number, value: number, ifTrue: number, ifFalse: number): Instruction {
  return { code, ifTrue, ifFalse, value };
}

function returnAction(value: number): Instruction {
  return { code: RETURN, ifTrue: 0, ifFalse: 0, value };
}

function encode({ code, ifTrue, ifFalse, value }: Instruction): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifTrue, 2);
  bytes.writeUInt8(ifFalse, 3);
  bytes.writeUInt32LE(value, 4);
  return bytes;
}
