import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { readRows } from '../../../page/service/read-rows.ts'
import { writeByDuckdb } from '../../parquet/write-by-duckdb.ts'

const open = (bytes: Uint8Array) => {
  const { buffer } = bytes.slice()
  const slice = async (start: number, end?: number) => buffer.slice(start, end)
  return { slice, open: async () => ({ byteLength: buffer.byteLength, slice }) }
}

let file: Uint8Array
beforeAll(async () => {
  file = await writeByDuckdb(
    `SELECT 'Plan ' || i // 500 AS plan, (i % 7)::VARCHAR AS billing_code, i AS npi,
      CASE WHEN i % 3 = 0 THEN ['26', 'TC'] END AS codes
    FROM range(3000) t(i)`,
    'COMPRESSION snappy',
  )
})

describe('a damaged or hostile file', () => {
  it('gives rows or an error, wherever bytes are changed', async () => {
    const changes = fc.array(fc.tuple(fc.nat({ max: file.length - 1 }), fc.nat({ max: 255 })), {
      minLength: 1,
      maxLength: 4,
    })
    await fc.assert(
      fc.asyncProperty(changes, async (bytes) => {
        const changed = file.slice()
        for (const [at, byte] of bytes) changed[at] = byte
        const outcome = await readRows([open(changed)], ['plan', 'billing_code', 'npi', 'codes']).then(
          () => 'rows',
          (error: unknown) => (error instanceof Error ? 'an error' : error),
        )
        expect(['rows', 'an error']).toContain(outcome)
      }),
      { numRuns: 1500 },
    )
  })
})
