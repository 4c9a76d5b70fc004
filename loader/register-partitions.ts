import type { Queries } from '../core/ports.ts'
import { sourceIdColumn } from '../core/rates.ts'
import { warehouseTables } from '../core/warehouse.ts'

/** Says which sources the tables have; a table in Glue knows nothing of files whose partition it lacks. */
export interface Partitions {
  /** Registers a source in all tables; doing so again changes nothing. */
  add(sourceId: string): Promise<void>
  /** Takes a source out of all tables, if it is there. */
  drop(sourceId: string): Promise<void>
}

export interface PartitionDeps {
  readonly queries: Queries
  /** Makes a new token of 32 to 128 characters. */
  readonly newToken: () => string
  readonly wait: (milliseconds: number) => Promise<void>
}

/** How long to wait before a look, or before the next try of a throttled start. */
const pauseMilliseconds = 500

/** How often a statement is run: Athena fails some for reasons of its own. */
const mostTries = 5

/**
 * Registers partitions with Athena's DDL (Athena user guide, "ALTER TABLE ADD PARTITION"). Where a partition lies follows
 * from its table: the loader writes Hive's own layout.
 *
 * @throws PartitionsNotChanged
 */
export function createPartitions(deps: PartitionDeps): Partitions {
  const alterAll = async (sourceId: string, change: 'ADD IF NOT EXISTS' | 'DROP IF EXISTS') => {
    if (!/^[\w-]+$/.test(sourceId)) throw new PartitionsNotChanged(`"${sourceId}" is no id of a source`)
    const partition = `PARTITION (${sourceIdColumn} = '${sourceId}')`
    await Promise.all(warehouseTables.map(({ name }) => run(`ALTER TABLE ${name} ${change} ${partition}`, deps)))
  }
  return {
    add: (sourceId) => alterAll(sourceId, 'ADD IF NOT EXISTS'),
    drop: (sourceId) => alterAll(sourceId, 'DROP IF EXISTS'),
  }
}

/** Athena did not change the tables' partitions. */
export class PartitionsNotChanged extends Error {
  override readonly name = 'PartitionsNotChanged'
  constructor(reason: string) {
    super(`the partitions of the warehouse’s tables are not changed: ${reason}`)
  }
}

async function run(statement: string, deps: PartitionDeps): Promise<void> {
  let reason = 'Athena had no room for the statement'
  for (let tries = 0; tries < mostTries; tries++) {
    if (tries > 0) await deps.wait(pauseMilliseconds * 2 ** tries)
    const started = await deps.queries.start({ statement, token: deps.newToken() })
    if (started.outcome !== 'started') continue
    const end = await awaitEnd(started.queryId, deps)
    if (end.state === 'succeeded') return
    reason = end.reason
    if (end.fault !== 'transient') break
  }
  throw new PartitionsNotChanged(reason)
}

async function awaitEnd(queryId: string, { queries, wait }: PartitionDeps) {
  for (;;) {
    const look = await queries.look(queryId)
    if (look.state !== 'running') return look
    await wait(pauseMilliseconds)
  }
}
