/** Ports where something other than the web listens, and might take a request for orders. */

export const offLimitsPorts: ReadonlySet<number> = new Set(
  [
    // Old small services, files, shells, names.
    [0, 1, 7, 9, 13, 17, 19, 20, 21, 22, 23, 37, 42, 43, 53, 69, 79, 111, 113, 123, 135, 137, 138, 139, 161, 179, 445],
    [512, 513, 514, 515, 548, 873, 2049, 3389, 5900, 6000],
    // Mail, news, chat, directories.
    [25, 109, 110, 119, 143, 389, 465, 587, 636, 993, 995, 5060, 5061, 6667, 6697],
    // Databases, queues and the insides of clusters.
    [1433, 1521, 2375, 2376, 2379, 2380, 3306, 4369, 5432, 5672, 6379, 9042, 9092, 10250, 11211, 27017],
  ].flat(),
);
