/**
 * Nothing that an UNLOAD can be told bounds the size of its files. A result with a file that is too large is therefore
 * written again, spread over partitions by chance: each partition gets its even part of the rows.
 */

/** Source: Athena User Guide, "UNLOAD": at most 100 partitions. */
export const mostPartitions = 100

/**
 * Over how many partitions a result is written again that has a file over `shardBytes`: as many as give files of half
 * that size, then twice as many each time, since how many rows a file holds and how well they compress is Athena's.
 *
 * @param spread over how many it was written last; undefined: over none
 * @param totalBytes of all its files
 * @returns undefined where no more partitions are possible
 */
export function widenSpread(spread: number | undefined, totalBytes: number, shardBytes: number): number | undefined {
  if (spread === mostPartitions) return undefined
  const wanted = spread === undefined ? Math.ceil(totalBytes / (shardBytes / 2)) : spread * 2
  return Math.min(wanted, mostPartitions)
}
