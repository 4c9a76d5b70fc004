import { useEffect, useState } from 'preact/hooks'
import type { CompletedManifest } from '../../client/api.ts'
import type { ShardFile } from '../../client/results/shard-file.ts'
import { useLinked } from '../address/view-link.ts'
import { useSession } from '../service/service.ts'
import type { Compared, compareFiles } from './compare-files.ts'

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
 * @param compare undefined until its code is loaded
 * @returns undefined if there is nothing to compare
 */
export function useChanges(
  newer: CompletedManifest | undefined,
  files: readonly ShardFile[],
  compare: typeof compareFiles | undefined,
): Changes | undefined {
  const { client } = useSession()
  const [olderId] = useLinked('compare')
  const [compared, setCompared] = useState<Compared & { readonly olderId: string }>()
  const [error, setError] = useState<unknown>()
  const [tries, setTries] = useState(0)
  const isComparable = newer !== undefined
  useEffect(() => {
    setError(undefined)
    if (olderId === undefined || newer === undefined || compare === undefined) return undefined
    let isCurrent = true
    compare(client, olderId, newer, files).then(
      (found) => isCurrent && setCompared({ ...found, olderId }),
      (failure: unknown) => isCurrent && setError(failure),
    )
    return () => {
      isCurrent = false
    }
  }, [client, olderId, isComparable, files, tries, compare])
  if (olderId === undefined || newer === undefined) return undefined
  const retry = () => setTries(tries + 1)
  return { olderId, newer, compared: compared?.olderId === olderId ? compared : undefined, error, retry }
}
