import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { FileFinder } from '../../../fetch/file-finder.ts'
import { type EncodeOptions, encodeFile } from '../../../loader/write/encode-file.ts'
import { generateInNetworkFile, groupShapes } from '../../bench/loader/generate-in-network-file.ts'
import { testMachine } from '../../builders/test-machine.ts'
import { anyHostileText } from '../decode/hostile-text.ts'
import { anyFilter } from '../decode/odd-values.ts'
import { file, schema1File } from './any-file.ts'

type Filter = EncodeOptions['filter']

describe('a file whose prices are read by bytes', () => {
  const stack = new AsyncDisposableStack()
  afterAll(() => stack.disposeAsync())

  async function openFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'scanned-'))
    stack.defer(() => rm(folder, { recursive: true, force: true }))
    return folder
  }

  /** Returns the encoded file, or the message of its refusal. */
  async function encode(path: string, folder: string, parsesAll: boolean, filter: Filter) {
    const fileOf = (table: { readonly name: string }, part = 0) => join(folder, `${table.name}-${part}.parquet`)
    const scratch = join(folder, 'scratch')
    await mkdir(scratch, { recursive: true })
    const files = { scratch, fileOf, publish: async () => 0, discard: async () => undefined }
    const finder = await FileFinder.open([path], undefined)
    const options = { finder, partial: false, maxSkipped: 1, strict: false, filter, parsesAll, machine: testMachine() }
    return encodeFile(path, files, options).catch((error: unknown) => String(error))
  }

  /** Encodes a file both ways, and compares the tables as multisets. */
  async function expectSame(path: string, filter?: Filter) {
    const [plain, parsed] = [join(dirname(path), 'plain'), join(dirname(path), 'parsed')]
    const outcome = await encode(path, plain, false, filter)
    expect(outcome).toEqual(await encode(path, parsed, true, filter))
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    try {
      const tableOf = (folder: string, name: string) => `(SELECT * FROM '${folder}/${name}-*.parquet')`
      // Keys of inline groups differ: groups of a rate that is parsed in the end were read before.
      const rowsOf = (folder: string) => [
        `(SELECT * EXCLUDE (provider_group_key, provider_group_keys) FROM ${tableOf(folder, 'negotiated_rates')}
          CROSS JOIN UNNEST(provider_group_keys) AS named (provider_group_key)
          JOIN ${tableOf(folder, 'provider_groups')} USING (provider_group_key))`,
        `(SELECT * EXCLUDE provider_group_key FROM ${tableOf(folder, 'provider_groups')})`,
        `(SELECT * EXCLUDE provider_group_keys FROM ${tableOf(folder, 'negotiated_rates')})`,
      ]
      const others = rowsOf(parsed)
      for (const [index, a] of typeof outcome === 'string' ? [] : rowsOf(plain).entries()) {
        const b = others[index]
        const reader = await connection.runAndReadAll(
          `SELECT (SELECT count(*) FROM (FROM ${a} EXCEPT ALL FROM ${b})) + (SELECT count(*) FROM (FROM ${b} EXCEPT ALL FROM ${a}))`,
        )
        expect(reader.getRows()).toEqual([[0n]])
      }
    } finally {
      instance.closeSync()
      await Promise.all([plain, parsed].map((folder) => rm(folder, { recursive: true })))
    }
    return outcome
  }

  it.each([
    ['2.x', file],
    ['1.x', schema1File],
  ] as const)(
    'finds the rows, findings and messages of parsing, in any file of schema %s with hostile bytes',
    async (_schema, anyFile) => {
      const path = join(await openFolder(), 'rates.json')
      await fc.assert(
        fc.asyncProperty(anyHostileText(anyFile), anyFilter, async (bytes, kept) => {
          await writeFile(path, bytes)
          await expectSame(path, kept === null ? undefined : { id: 'filter', ...kept })
        }),
        { numRuns: Number(process.env['HOSTILE_FILES'] ?? 30) },
      )
    },
    600_000,
  )

  it.each(groupShapes)(
    'finds the rows of parsing in a file of many thousand prices whose provider groups are %s',
    async (groups) => {
      const path = join(await openFolder(), 'rates.json')
      await generateInNetworkFile(path, { megabytes: 12, groups, largeItem: 6, seed: 1 })
      expect(await expectSame(path)).toMatchObject({ findings: expect.any(Array), skipped: 0 })
    },
    120_000,
  )
})
