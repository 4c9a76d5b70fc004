import type { CompletedManifest, Manifest } from '../../client/api.ts'
import { requireComparable } from '../../client/results/comparison/comparable-requests.ts'
import { type Comparison, compareResults } from '../../client/results/comparison/compare-results.ts'
import { comparedColumns } from '../../client/results/comparison/price-index.ts'
import { openFiles, type ShardFile } from '../../client/results/shard-file.ts'
import type { SearchCalls } from '../../client/search-calls.ts'
import { readRows } from '../service/read-rows.ts'
import { readCompleted } from '../service/service.ts'

/** An older result, and how a newer one differs from it. */
export interface Compared {
  readonly older: Manifest
  /** Undefined if a result is too large to be read whole: a part of it has other changes. */
  readonly comparison: Comparison | undefined
}

/**
 * Compares a result with an older one.
 *
 * @param newer the manifest of the newer result, with its files
 * @throws NotComparable if the searches did not ask for the same
 */
export async function compareFiles(
  client: SearchCalls,
  olderId: string,
  newer: CompletedManifest,
  files: readonly ShardFile[],
): Promise<Compared> {
  const renew = () => readCompleted(client, olderId)
  const older = await client.manifest(olderId)
  if (older.status === 'completed') requireComparable(older, newer)
  const before = await readRows(openFiles(await renew(), renew, client.transport.fetch), comparedColumns, undefined, 0)
  const now = await readRows(files, comparedColumns, undefined, 0)
  if (!before?.isAll || !now?.isAll) return { older, comparison: undefined }
  return { older, comparison: await compareResults([before.rows], [now.rows]) }
}
