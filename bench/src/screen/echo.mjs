/** A minimal terminal program: writes what is typed. */

process.stdin.setRawMode(true);
process.stdin.on("data", (data) => process.stdout.write(data));
process.stdout.write("ready\r\n");
