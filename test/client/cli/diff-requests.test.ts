import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SearchRequest } from '../../../client/api.ts'
import { runCommandLine } from '../../../client/cli/run.ts'
import { fieldCases } from '../request-fields.ts'
import { makeWorld } from './world.ts'

const [older, newer] = ['2a39443a-064f-4d78-b562-c11683209ccf', '2a39443a-064f-4d78-b562-c11683209ccd']
const freeFields = ['as_of', 'fee_schedules', 'max_bytes', 'summary.count_providers']

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'diff-requests-'))
  const connection = await (await DuckDBInstance.create()).connect()
  for (const id of [older, newer]) {
    await mkdir(join(folder, id))
    const row = `SELECT 'A' AS payer, 'B' AS plan, '99213' AS billing_code, ${id === older ? 'NULL' : "'N'"}::VARCHAR AS network, 'tins' AS weight, 5 AS value_count, 2::DECIMAL(18, 4) AS median`
    await connection.run(`COPY (${row}) TO '${join(folder, id, `${id}-0001.parquet`)}' (COMPRESSION snappy)`)
  }
})
afterAll(() => rm(folder, { recursive: true }))

async function diff(...options: readonly string[]) {
  const world = makeWorld()
  const code = await runCommandLine(['diff', join(folder, older), join(folder, newer), ...options], world, '1.0.0')
  return { code, ...world.written }
}

const save = (id: string, request: SearchRequest | string) =>
  writeFile(
    join(folder, id, `_${id}.manifest.json`),
    typeof request === 'string' ? request : JSON.stringify({ request, truncated: false }),
  )

describe('rate-search diff', () => {
  it('refuses results if nothing says what one of their searches asked for, unless a flag allows them', async () => {
    const [request] = fieldCases.map((each) => each.request)
    const refusal = (...ids: readonly string[]) => ({
      code: 1,
      output: '',
      errors: expect.stringMatching(
        new RegExp(`the files of ${ids.map((id) => join(folder, id)).join(' and ')} says .*--unknown-requests`),
      ),
    })
    expect(await diff()).toMatchObject(refusal(older, newer))
    await save(older, request ?? '')
    expect(await diff()).toMatchObject(refusal(newer))
    await rm(join(folder, older, `_${older}.manifest.json`))
    await save(newer, request ?? '')
    expect(await diff()).toMatchObject(refusal(older))
    expect((await diff('--unknown-requests')).errors).not.toContain('--unknown-requests')
    await rm(join(folder, newer, `_${newer}.manifest.json`))
  })

  it('refuses summaries of unknown searches that show different dimensions', async () => {
    expect(await diff('--unknown-requests')).toMatchObject({
      code: 1,
      errors: expect.stringContaining('only one summary is divided by network'),
    })
  })

  it.each(fieldCases)('compares searches exactly if $field may differ', async ({ field, request, other }) => {
    await save(older, request)
    await save(newer, other)
    const { code, errors } = await diff()
    if (freeFields.includes(field)) expect([code, errors]).toEqual([0, ''])
    else expect([code, errors]).toEqual([1, expect.stringContaining(`their ${field} differs`)])
  })

  it('says which manifest it cannot read', async () => {
    await save(older, '{')
    expect(await diff()).toMatchObject({
      code: 1,
      errors: expect.stringContaining(`_${older}.manifest.json cannot be read`),
    })
  })
})
