import { DuckDBInstance } from '@duckdb/node-api'
import { expect, it } from 'vitest'
import { interruptOnAbort } from '../../../local/athena/interrupt-query.ts'

/** Outlasts any test. */
const endless = 'SELECT count(*) FROM range(1000000000) a, range(100) b WHERE a.range % 7 = b.range'

it('ends a DuckDB statement that is stopped just as it starts', async () => {
  const database = await DuckDBInstance.create(':memory:')
  // DuckDB forgets most interruptions that come this early.
  for (let turn = 0; turn < 10; turn++) {
    const connection = await database.connect()
    const stopping = new AbortController()
    using _interrupting = interruptOnAbort(connection, stopping.signal)
    const running = connection.run(endless)
    stopping.abort()
    await expect(running).rejects.toThrow('Interrupted')
    connection.closeSync()
  }
  database.closeSync()
})
