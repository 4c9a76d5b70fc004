import type { Queries, QueryState } from '../../core/search/ports.ts'
import { newFooter } from '../builders/open-search.ts'
import type { MemoryResultFiles } from '../doubles/memory-files.ts'
import { createMemoryQueries } from '../doubles/memory-ports.ts'

/** An in-memory Athena whose queries write files and manifests. */

export interface RunQuery {
  readonly queryId: string
  readonly prefix: string
  readonly statement: string
  /** The files in its manifest, once it has succeeded. */
  listed?: readonly string[]
  /** Why it failed, once it has. */
  failure?: Extract<QueryOutcome, { state: 'failed' }>
}

export interface MemoryAthena extends Queries {
  readonly runs: Map<string, RunQuery>
  readonly isRunning: (queryId: string) => boolean
  /** Number of starts that it still throttles. */
  fullFor: number
  /** The outcome with which the next query ends immediately; undefined to let it run. */
  atOnce: QueryOutcome | undefined
  /** Ends a running query with an outcome; `files` is the number of files in its manifest. */
  readonly end: (queryId: string, outcome: QueryOutcome) => void
}

export type QueryOutcome =
  | { readonly state: 'succeeded'; readonly files: number }
  | Extract<QueryState, { state: 'failed' }>

export function createMemoryAthena(files: MemoryResultFiles): MemoryAthena {
  const memory = createMemoryQueries()
  const isRunning = (queryId: string) => (memory.states.get(queryId)?.state ?? 'running') === 'running'
  const write = (key: string) => files.footers.set(key, newFooter(key))
  const athena: MemoryAthena = {
    runs: new Map(),
    fullFor: 0,
    atOnce: undefined,
    isRunning,
    start: async (query) => {
      if (athena.fullFor > 0) {
        athena.fullFor -= 1
        return { outcome: 'throttled' }
      }
      const start = await memory.start(query)
      if (start.outcome !== 'started' || athena.runs.has(start.queryId)) return start
      const prefix = /s3:\/\/results-bucket\/([^']+\/)'/.exec(query.statement)?.[1]
      if (prefix === undefined) throw new Error('the statement writes nowhere')
      athena.runs.set(start.queryId, { queryId: start.queryId, prefix, statement: query.statement })
      const { atOnce } = athena
      athena.atOnce = undefined
      if (atOnce !== undefined) athena.end(start.queryId, atOnce)
      return start
    },
    look: memory.look,
    stop: memory.stop,
    end: (queryId, outcome) => {
      const run = athena.runs.get(queryId)
      if (run === undefined || !isRunning(queryId)) return
      // A writer that Athena replaced leaves an orphaned file that no manifest lists; so does a failed attempt.
      write(`${run.prefix}abandoned`)
      if (outcome.state === 'failed') {
        run.failure = outcome
        memory.states.set(queryId, outcome)
        return
      }
      run.listed = Array.from({ length: outcome.files }, (_, index) => `${run.prefix}file-${index}`)
      for (const key of run.listed) write(key)
      const manifest = `${run.prefix}manifest`
      files.manifests.set(manifest, run.listed)
      memory.states.set(queryId, { state: 'succeeded', manifest: outcome.files === 0 ? undefined : manifest })
    },
  }
  return athena
}
