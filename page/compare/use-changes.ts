import { useEffect, useState } from 'preact/hooks'
import type { CompletedManifest, Manifest } from '../../client/api.ts'
import { type Comparison, compareResults } from '../../client/results/comparison/compare-results.ts'
import { comparedColumns } from '../../client/results/comparison/price-index.ts'
import { openFiles, type ShardFile } from '../../client/results/shard-file.ts'
import type { SearchCalls } from '../../client/search-calls.ts'
import { readRows } from '../parquet/read-rows.ts'
import { readCompleted, useSession } from '../service.ts'
import { useLinked } from '../view-link.ts'

/** An older result, and how a newer one differs from it. */
export interface Compared {
  readonly older: Manifest
  /** Undefined if a result is too large to be read whole: a part of it has other changes. */
  readonly comparison: Comparison | undefined
}

/** The changes since the result that the address names, as far as they are read. */
export interface Changes {
  readonly olderId: string
  readonly newer: CompletedManifest
  readonly compared: Compared | undefined
  /** The reason why the results could not be compared; undefined if there is none. */
  readonly error: unknown
  readonly retry: () => void
}

/**
 * Compares a result with the older one that the address names.
 *
 * @param newer its manifest; undefined if it cannot be compared, or as long as that is not known
 * @returns undefined if there is nothing to compare
 */
export function useChanges(newer: CompletedManifest | undefined, files: readonly ShardFile[]): Changes | undefined {
  const { client } = useSession()
  const [olderId] = useLinked('compare')
  const [compared, setCompared] = useState<Compared & { readonly olderId: string }>()
  const [error, setError] = useState<unknown>()
  const [tries, setTries] = useState(0)
  const isComparable = newer !== undefined
  useEffect(() => {
    setError(undefined)
    if (olderId === undefined || !isComparable) return undefined
    let isCurrent = true
    compare(client, olderId, files).then(
      (found) => isCurrent && setCompared({ ...found, olderId }),
      (failure: unknown) => isCurrent && setError(failure),
    )
    return () => {
      isCurrent = false
    }
  }, [client, olderId, isComparable, files, tries])
  if (olderId === undefined || newer === undefined) return undefined
  const retry = () => setTries(tries + 1)
  return { olderId, newer, compared: compared?.olderId === olderId ? compared : undefined, error, retry }
}

async function compare(client: SearchCalls, olderId: string, files: readonly ShardFile[]): Promise<Compared> {
  const renew = () => readCompleted(client, olderId)
  const older = await client.manifest(olderId)
  const before = await readRows(openFiles(await renew(), renew), comparedColumns, undefined, 0)
  const now = await readRows(files, comparedColumns, undefined, 0)
  if (!before?.isAll || !now?.isAll) return { older, comparison: undefined }
  return { older, comparison: await compareResults([before.rows], [now.rows]) }
}
