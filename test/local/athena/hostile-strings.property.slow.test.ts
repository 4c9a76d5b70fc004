import { GetQueryResultsCommand } from '@aws-sdk/client-athena'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { selectStatement, unloadStatement } from '../../../core/search/statement.ts'
import { openAthena, type TestAthena } from './test-athena.ts'
import { loadSource, readColumn } from './warehouse-fixture.ts'

let athena: TestAthena
let runs = 0

beforeAll(async () => {
  athena = await openAthena()
})

afterAll(() => athena.close())

const nasty = fc.constantFrom(
  "'",
  '"',
  '\\',
  '\n',
  '\r',
  '%',
  ';',
  '--',
  '/*',
  '$1',
  'é',
  'e\u0301',
  '\ufeff',
  '😀',
  ' ',
  'x',
)
/** The service accepts no control characters in names and codes, so no statement has a NUL, which ends DuckDB's. */
const text = fc
  .oneof(fc.string({ unit: nasty, maxLength: 12 }), fc.string({ unit: 'binary', maxLength: 12 }))
  .filter((drawn) => !drawn.includes('\0'))

/** DuckDB's binding drops it from the start of a text it reads; files keep it. */
const byteOrderMark = /^\ufeff/

const hex = (value: string) => Buffer.from(value).toString('hex').toUpperCase()

describe('any text', () => {
  it('matches only its own rows, and is returned unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, text, async (payer, plan, code) => {
        const sourceId = `s${runs++}`
        await loadSource(athena.warehouseFolder, { sourceId, payer, plan, code })
        await loadSource(athena.warehouseFolder, {
          sourceId: `${sourceId}-other`,
          contentId: sourceId,
          payer,
          plan: `${plan} `,
          code,
        })
        const request = { feeSchedules: [{ payer, plan }], billingCodes: [code] }
        const scope = { contents: [sourceId] }

        const paths = (await athena.unload(unloadStatement(request, scope, `s3://results/${sourceId}/`))).map(
          athena.objects.pathOf,
        )
        expect(await readColumn(paths, 'hex(encode(payer))')).toEqual([hex(payer)])
        expect(await readColumn(paths, 'hex(encode(plan))')).toEqual([hex(plan)])
        expect(await readColumn(paths, 'hex(encode(billing_code))')).toEqual([hex(code)])

        const { QueryExecutionId } = await athena.run(selectStatement(request, scope))
        const { ResultSet } = await athena.client.send(new GetQueryResultsCommand({ QueryExecutionId }))
        const rows = ResultSet?.Rows?.map(({ Data }) => Data?.[0]?.VarCharValue)
        expect(rows).toEqual(['payer', payer.replace(byteOrderMark, '')])
      }),
      { numRuns: 40 },
    )
  })
})
