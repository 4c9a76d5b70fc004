import { PrintableError } from '../../schema/printable-error.ts'
import type { Queries } from '../search/ports.ts'
import type { Clock } from '../time.ts'
import type { QueryRows, ResultTable } from './ports.ts'

export interface ReadRelation {
  readonly queries: Queries
  readonly rows: QueryRows
  readonly sleep: (milliseconds: number) => Promise<void>
  /** Generates a unique query token of 32 to 128 characters. */
  readonly newToken: () => string
  readonly now: Clock
}

/** Query timeout; shorter than the timeout of the function that waits for it. */
const timeoutMs = 240_000

/** The polling interval grows between these bounds. */
const waits = { firstMs: 250, maxMs: 5_000 } as const

/**
 * Runs a SELECT and reads all its rows into memory; only for small relations and samples.
 *
 * @throws RelationUnread if Athena has no capacity, the query fails, or it times out
 */
export async function readRelation(deps: ReadRelation, statement: string): Promise<ResultTable> {
  const start = await deps.queries.start({ statement, token: deps.newToken() })
  if (start.outcome !== 'started') throw new RelationUnread(`Athena did not start the query: ${start.outcome}`)
  await awaitSuccess(deps, start.queryId)
  return deps.rows.readAll(start.queryId)
}

async function awaitSuccess(deps: ReadRelation, queryId: string): Promise<void> {
  const ends = deps.now().getTime() + timeoutMs
  for (let waitMs: number = waits.firstMs; ; waitMs = Math.min(waitMs * 1.5, waits.maxMs)) {
    const query = await deps.queries.look(queryId)
    if (query.state === 'succeeded') return
    if (query.state === 'failed') throw new RelationUnread(query.reason)
    if (deps.now().getTime() + waitMs > ends) {
      await deps.queries.stop(queryId)
      throw new RelationUnread(`the query took longer than ${timeoutMs / 1000} seconds`)
    }
    await deps.sleep(waitMs)
  }
}

/** A relation could not be read. The message is Athena's reason, which names relations and columns. */
export class RelationUnread extends PrintableError {
  override readonly name = 'RelationUnread'
}
