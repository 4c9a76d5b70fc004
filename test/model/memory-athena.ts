import type { Queries, QueryState } from '../../core/ports.ts'
import type { MemoryResultFiles } from '../core/memory-files.ts'
import { createMemoryQueries } from '../core/memory-ports.ts'
import { newFooter } from '../core/open-search.ts'

/** Queries that write files: what they wrote and listed is what a result must be. */

export interface RunQuery {
  readonly queryId: string
  readonly prefix: string
  readonly statement: string
  /** The files of its manifest, once it has succeeded. */
  listed?: readonly string[]
}

export interface MemoryAthena extends Queries {
  readonly runs: Map<string, RunQuery>
  readonly isRunning: (queryId: string) => boolean
  /** How many starts are refused for want of room. */
  fullFor: number
  /** How the next query ends as soon as it is started; undefined: it runs. */
  atOnce: QueryOutcome | undefined
  /** Ends a running query; `files` is how many it lists where it succeeds. */
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
    stop: async (queryId) => {
      await memory.stop(queryId)
      if (isRunning(queryId)) memory.states.set(queryId, { state: 'failed', fault: 'permanent', reason: 'stopped' })
    },
    end: (queryId, outcome) => {
      const run = athena.runs.get(queryId)
      if (run === undefined || !isRunning(queryId)) return
      // A writer that Athena replaced leaves a file that no manifest lists; so does an attempt that fails.
      write(`${run.prefix}abandoned`)
      if (outcome.state === 'failed') {
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
