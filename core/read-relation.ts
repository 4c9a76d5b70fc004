import type { Clock, Queries, QueryRows, ResultTable } from './ports.ts'

export interface ReadRelation {
  readonly queries: Queries
  readonly rows: QueryRows
  readonly sleep: (milliseconds: number) => Promise<void>
  /** Makes a token that no query has had: 32 to 128 characters. */
  readonly newToken: () => string
  readonly now: Clock
}

/** How long a query may take before it is stopped: less than the function that waits for it has. */
const patienceMs = 240_000

/** Looks come further apart as the query takes longer, between these. */
const waits = { firstMs: 250, longestMs: 5_000 } as const

/**
 * Runs a SELECT to its end and reads all its rows into memory: for relations that are small, and for samples.
 *
 * @throws RelationUnread where Athena has no room, the query fails, or it takes too long
 */
export async function readRelation(deps: ReadRelation, statement: string): Promise<ResultTable> {
  const start = await deps.queries.start({ statement, token: deps.newToken() })
  if (start.outcome !== 'started') throw new RelationUnread(`Athena did not start the query: ${start.outcome}`)
  await awaitSuccess(deps, start.queryId)
  return deps.rows.readAll(start.queryId)
}

async function awaitSuccess(deps: ReadRelation, queryId: string): Promise<void> {
  const ends = deps.now().getTime() + patienceMs
  for (let waitMs: number = waits.firstMs; ; waitMs = Math.min(waitMs * 1.5, waits.longestMs)) {
    const query = await deps.queries.look(queryId)
    if (query.state === 'succeeded') return
    if (query.state === 'failed') throw new RelationUnread(query.reason)
    if (deps.now().getTime() + waitMs > ends) {
      await deps.queries.stop(queryId)
      throw new RelationUnread(`the query took longer than ${patienceMs / 1000} seconds`)
    }
    await deps.sleep(waitMs)
  }
}

/** A relation could not be read; the message is Athena's reason, which names relations and columns. */
export class RelationUnread extends Error {
  override readonly name = 'RelationUnread'
}
