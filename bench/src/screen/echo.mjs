/** The least a terminal program can be: it writes what is typed. */

process.stdin.setRawMode(true);
process.stdin.on("data", (data) => process.stdout.write(data));
process.stdout.write("ready\r\n");
