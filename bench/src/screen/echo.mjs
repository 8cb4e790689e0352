/** A minimal terminal program that echoes keys. */

process.stdin.setRawMode(true);
process.stdin.on("data", (data) => process.stdout.write(data));
process.stdout.write("ready\r\n");
