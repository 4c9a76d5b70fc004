/**
 * No UNLOAD property limits the size of its files. If a file is too large, the query runs again and spreads its rows
 * randomly over partitions, so that each gets an even share.
 */

/** Maximum number of partitions. Source: Athena User Guide, "UNLOAD". */
export const maxPartitions = 100

/**
 * Chooses the number of partitions for running the query again. The first choice aims at files of half `shardBytes`;
 * each further attempt doubles it, because Athena decides how many rows a file has and how well they compress.
 *
 * @param spread number of partitions of the last attempt; undefined if it had none
 * @param totalBytes size of all files together
 * @returns undefined if the maximum was already used
 */
export function widenSpread(spread: number | undefined, totalBytes: number, shardBytes: number): number | undefined {
  if (spread === maxPartitions) return undefined
  const partitions = spread === undefined ? Math.ceil(totalBytes / (shardBytes / 2)) : spread * 2
  return Math.min(partitions, maxPartitions)
}
