/** Known escapes from sandboxes: each is a command that would leave a trace outside, read a secret, or print ESCAPED. */

export interface Escape {
  readonly name: string;
  readonly command: string;
  readonly isReadOnly?: boolean;
  /** Without one it may do all that the network lets it. */
  readonly isOffline?: boolean;
}

const inside = (command: string): string => `unshare -Urm bash -c '${command}'`;
const connectCommand = (where: string): string =>
  `"$NODE" -e 'require("net").connect(${where}).on("data", (said) => console.log("ESCAPED", String(said))).on("error", (e) => { console.log(e.code); process.exit(1); })'`;

export const escapes: readonly Escape[] = [
  { name: "a new file outside", command: "echo x >$OUTSIDE/new" },
  { name: "a file outside, overwritten", command: "echo x >$OUTSIDE/file" },
  { name: "a file outside, removed", command: "rm -rf $OUTSIDE" },
  { name: "a file outside, its mode", command: "chmod 777 $OUTSIDE/file" },
  { name: "a file outside, renamed", command: "mv $OUTSIDE/file $OUTSIDE/other" },
  { name: "a file outside, moved in", command: "mv $OUTSIDE/file ." },
  { name: "a path that goes up", command: "echo x >../outside/new; cd ..; echo x >outside/file" },
  { name: "the settings of the machine", command: "touch /etc/pith-was-here" },
  { name: "a library for every program to come", command: "echo $PWD/evil.so >>/etc/ld.so.preload && echo ESCAPED" },
  { name: "the start of the next shell", command: "echo 'touch x' >>~/.bashrc; echo x >~/.zshenv" },
  { name: "a key to log in with", command: "mkdir -p ~/.ssh && echo key >~/.ssh/authorized_keys" },
  {
    name: "a service of the user",
    command: "mkdir -p ~/.config/systemd/user && touch ~/.config/systemd/user/a.service",
  },
  { name: "the home, put aside", command: "mv ~ ~/../other-home; mkdir ~" },
  { name: "a link that was there", command: "echo x >way-out/new; rm -f way-out/file" },
  { name: "a link of its own", command: "ln -s $OUTSIDE link; echo x >link/new; echo x >link/file" },
  { name: "a hard link", command: "ln $OUTSIDE/file hard && echo x >hard" },
  { name: "its own root", command: "echo x >/proc/self/root$OUTSIDE/new" },
  { name: "the root of the first process", command: "echo x >/proc/1/root$OUTSIDE/new; cat /proc/1/root$KEYS" },
  { name: "the folder of the first process", command: "cd /proc/1/cwd && echo x >../outside/new" },
  {
    name: "the root of a process outside",
    command: "echo x >/proc/$OUTER/root$OUTSIDE/new; cat /proc/$OUTER/root$KEYS",
  },
  { name: "the memory of a process outside", command: "echo x >/proc/$OUTER/mem && echo ESCAPED" },
  { name: "the environment of whoever started it", command: "cat /proc/*/environ; env" },
  { name: "an end for a process outside", command: "kill -9 $OUTER" },
  { name: "an end for everybody", command: "kill -9 -1" },
  { name: "the namespaces of a process outside", command: `nsenter -t $OUTER -a touch $OUTSIDE/new` },
  { name: "the namespaces of the first process", command: `nsenter -t 1 -m touch $OUTSIDE/new` },
  { name: "the keys, plainly", command: "cat $KEYS; cp $KEYS copy; cat copy" },
  { name: "the keys, by a link", command: "ln $KEYS copy; ln -s $KEYS link; cat copy link" },
  { name: "the keys, their folder put aside", command: "mv ~/.pith away; cat away/keys.json; rm -rf ~/.pith" },
  { name: "the keys, what covers them taken away", command: "umount $KEYS; umount -l $KEYS; cat $KEYS" },
  { name: "a hook", command: "echo 'touch x' >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit" },
  { name: "a setting that git runs", command: "git config core.fsmonitor 'touch x'; echo '[alias]' >>.git/config" },
  {
    name: "the repository, put aside",
    command: "mv .git away; mkdir -p .git/hooks; cp away/HEAD .git; echo x >.git/config",
  },
  {
    name: "the repository, removed",
    command: "rm -rf .git; mkdir -p .git/hooks; echo x >.git/config; echo x >.git/hooks/post-checkout",
  },
  {
    name: "settings from elsewhere",
    command:
      "mkdir evil; echo '[core]' >evil/config; echo $PWD/evil >.git/commondir; ln -s $PWD/evil/config .git/config.worktree",
  },
  {
    name: "the hooks, replaced by a link",
    command: "rm -rf .git/hooks; ln -s $PWD/evil .git/hooks; mv -T evil .git/hooks",
  },
  { name: "a task of an editor that has none", command: "mkdir -p .vscode; echo '{}' >.vscode/tasks.json" },
  {
    name: "settings of agents that have none",
    command:
      "for a in .claude .codex .cursor .gemini .opencode .pi .pith .idea .zed; do mkdir -p $a; echo '{}' >$a/settings.json; done; echo x >.mcp.json; echo x >.envrc; echo x >.exrc",
  },
  {
    name: "the name of an absent folder",
    command: "rmdir .vscode; rm -rf .vscode; mv .vscode away; mkdir .vscode; touch .vscode/tasks.json",
  },
  {
    name: "a link in place of an absent folder",
    command: "mkdir evil; touch evil/tasks.json; ln -sfnT $PWD/evil .vscode; mv -T evil .vscode",
  },
  { name: "the workspace, put aside", command: "mv $PWD $PWD-away; cd ..; mv workspace other; mkdir workspace" },
  {
    name: "a mount over it",
    command: "mkdir -p m; mount --bind $OUTSIDE m && echo x >m/new; mount -o remount,rw /; echo x >$OUTSIDE/new",
  },
  {
    name: "mounts undone",
    command:
      "umount -l .vscode; umount -l .git/config; umount -l /; mkdir -p .vscode; touch .vscode/tasks.json; echo x >.git/config",
  },
  {
    name: "a world of its own",
    command: inside("mount -o remount,rw /; umount -l .vscode; touch .vscode/tasks.json; echo x >$OUTSIDE/new"),
  },
  { name: "a sandbox in the sandbox", command: "bwrap --bind / / touch $OUTSIDE/new; bwrap --dev-bind / / cat $KEYS" },
  { name: "another root", command: "chroot /proc/1/root touch $OUTSIDE/new; chroot / touch $OUTSIDE/new" },
  {
    name: "a device of its own",
    command: "mknod disk b $(stat -c '0x%Hd 0x%Ld' $OUTSIDE 2>/dev/null || echo 8 0) && echo ESCAPED",
  },
  {
    name: "the devices of the machine",
    command: "ls -d /dev/[shv]d? /dev/mem /dev/kmsg /dev/kvm /dev/loop* 2>/dev/null | grep . && echo ESCAPED",
  },
  {
    name: "what is run when something crashes",
    command: "cat /proc/sys/kernel/core_pattern >same; cat same >/proc/sys/kernel/core_pattern && echo ESCAPED",
  },
  {
    name: "the settings of the kernel",
    command: "mkdir /sys/fs/cgroup/pith-was-here && echo ESCAPED; test -w /proc/sysrq-trigger && echo ESCAPED",
  },
  {
    name: "the rights of root",
    command: "grep -E 'Cap(Eff|Prm|Bnd|Amb)' /proc/self/status | grep -v 0000000000000000 && echo ESCAPED",
  },
  {
    name: "a program that lends its owner's rights",
    command:
      "cp /bin/bash own; chmod u+s own; ./own -p -c 'grep NoNewPrivs: /proc/self/status' | grep -v 1 && echo ESCAPED",
  },
  {
    name: "words put into a terminal",
    command: "(exec 3<>/dev/tty) && echo ESCAPED; ls /dev/pts | grep -v ptmx && echo ESCAPED",
  },
  {
    name: "files that somebody left open",
    command:
      "ls /proc/self/fd | grep -v '^[0-3]$' && echo ESCAPED; ls -l /proc/self/fd/3 | grep -v /proc/ && echo ESCAPED",
  },
  { name: "a socket in the temporary folder", command: connectCommand("process.env.SOCKET") },
  { name: "a socket that a variable names", command: connectCommand("process.env.SSH_AUTH_SOCK") },
  {
    name: "a socket, renamed",
    command: `mv $SOCKET $TMPDIR/other; ${connectCommand('process.env.TMPDIR + "/other"')}`,
  },
  { name: "a socket in the workspace", command: connectCommand("process.env.SERVICE") },
  { name: "a socket beside the workspace", command: connectCommand('process.env.OUTSIDE + "/service"') },
  { name: "a socket that a program named in its working folder", command: connectCommand('"relative"') },
  {
    name: "a socket in the workspace, by links",
    command: `ln -s $SERVICE by-link; ln -s $PWD folder; ${connectCommand('"by-link"')}; ${connectCommand('"folder/service"')}`,
  },
  {
    name: "a socket in the workspace, by a descriptor of its folder",
    command: `exec 5<.; ${connectCommand('"/proc/self/root" + process.env.SERVICE')}; ${connectCommand('"/proc/" + process.ppid + "/fd/5/service"')}`,
  },
  {
    name: "a socket in the workspace, by hard links",
    command: `ln service hard; ln $OUTSIDE/service other; ${connectCommand('"hard"')}; ${connectCommand('"other"')}`,
  },
  {
    name: "a socket in the workspace, renamed",
    command: `mv service moved; ${connectCommand('"moved"')}; cd ..; mv workspace away; cd away; ${connectCommand('"service"')}`,
  },
  {
    name: "a socket in the workspace, what covers it taken away",
    command: `umount service; umount -l $SERVICE; rm -f service; ${connectCommand('"service"')}`,
  },
  {
    name: "a socket in a folder of the workspace, put aside",
    command: `mv deep away; ${connectCommand('"away/er/service"')}; mkdir -p deep; mv away/er deep; ${connectCommand('"deep/er/service"')}`,
  },
  {
    name: "a message to a socket",
    command: `python3 -c '
import os, socket
for path in ("datagrams", os.environ["OUTSIDE"] + "/datagrams"):
    for make in (lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM), lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0]):
        try:
            make().sendto(b"x", path); print("ESCAPED")
        except OSError as error:
            print(error.errno)
'`,
  },
  {
    name: "the container engine",
    command: "ls /run/docker.sock /var/run/docker.sock /run/user /run/dbus 2>/dev/null | grep . && echo ESCAPED",
  },
  {
    name: "a port of this machine",
    command: "exec 4<>/dev/tcp/127.0.0.1/$PORT && cat <&4 && echo ESCAPED",
    isOffline: true,
  },
  { name: "a socket without a file", command: connectCommand('"\\0" + process.env.ABSTRACT'), isOffline: true },
  {
    name: "the interfaces of the machine",
    command: "ls /proc/self/net/dev && grep -vE 'lo:|Inter|face' /proc/self/net/dev && echo ESCAPED",
    isOffline: true,
  },
  {
    name: "the workspace, when it may only be read",
    command: "touch new; echo x >>.git/HEAD; rm -rf .git; mkdir .vscode; ls new && echo ESCAPED",
    isReadOnly: true,
  },
  {
    name: "the workspace put aside, when it may only be read",
    command: "mv $PWD $PWD-away; mkdir -p $PWD; ls $PWD-away && echo ESCAPED",
    isReadOnly: true,
  },
];
