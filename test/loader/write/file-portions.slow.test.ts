import { mkdir, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { FileFinder } from '../../../fetch/file-finder.ts'
import { type EncodeOptions, encodeFile } from '../../../loader/write/encode-file.ts'
import { sourceTables } from '../../../schema/columns/warehouse-tables.ts'
import { generateInNetworkFile } from '../../bench/loader/generate-in-network-file.ts'
import { buildFile, buildGroup, buildItem, buildPrice, buildReference } from '../../builders/in-network-builder.ts'
import { testMachine } from '../../builders/test-machine.ts'
import { anyFilter, filterOption } from '../decode/odd-values.ts'
import { file, schema1File } from './any-file.ts'

const instance = await DuckDBInstance.create(':memory:')
const connection = await instance.connect()
afterAll(() => instance.closeSync())

const query = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson()

describe('a file that is cut into portions', () => {
  const stack = new AsyncDisposableStack()
  afterAll(() => stack.disposeAsync())

  async function openFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'parts-'))
    stack.defer(() => rm(folder, { recursive: true, force: true }))
    return folder
  }

  type Encoding = Awaited<ReturnType<typeof encode>>

  /** Encodes a file, and returns what a load is told and the local paths of the tables' files. */
  async function encode(path: string, options: Partial<EncodeOptions>) {
    const folder = await openFolder()
    const scratch = join(folder, 'scratch')
    await mkdir(scratch)
    const fileOf = (table: { readonly name: string }, index = 0) => join(folder, `${table.name}-${index}.parquet`)
    const finder = await FileFinder.open([path], undefined)
    const encoded = await encodeFile(
      path,
      { scratch, fileOf },
      { finder, partial: false, maxSkipped: 1, strict: false, machine: testMachine(), ...options },
    )
    const files = (await readdir(folder)).filter((name) => name.endsWith('.parquet')).sort()
    return { encoded, folder, files, left: await readdir(scratch) }
  }

  /**
   * The rows that a search finds: keys of groups differ, because inline groups belong to a part, as amounts are judged
   * in one.
   */
  const rowsOf = (folder: string) => `(
    SELECT prices.* EXCLUDE (provider_group_keys, amount_flags), groups.* EXCLUDE (provider_group_key)
    FROM '${folder}/negotiated_rates-*.parquet' AS prices
    CROSS JOIN UNNEST(provider_group_keys) AS named (provider_group_key)
    JOIN '${folder}/provider_groups-*.parquet' AS groups USING (provider_group_key))`

  async function expectSameRows(cut: string, whole: string) {
    const [a, b] = [rowsOf(cut), rowsOf(whole)]
    const [differences] = await query(
      `SELECT (SELECT count(*) FROM (FROM ${a} EXCEPT ALL FROM ${b})), (SELECT count(*) FROM (FROM ${b} EXCEPT ALL FROM ${a}))`,
    )
    expect(differences).toEqual(['0', '0'])
  }

  /**
   * The facts of a file do not depend on how it is cut, except for the rows of provider groups: a portion writes the
   * inline groups of its prices, also those of an earlier portion.
   */
  async function expectSameFacts(cut: Encoding, whole: Encoding) {
    expect(cut.encoded).toEqual({ ...whole.encoded, groupRows: cut.encoded.groupRows })
    for (const { encoded, folder } of [cut, whole]) {
      const [rows] = await query(`SELECT count(*)::INTEGER FROM '${folder}/provider_groups-*.parquet'`)
      expect(rows).toEqual([encoded.groupRows])
    }
  }

  const inAnyOrder = <Rule extends { readonly rule: string }>(findings: readonly Rule[]) =>
    findings.toSorted((one, other) => one.rule.localeCompare(other.rule))

  it.each(['referenced', 'shared', 'unique'] as const)(
    'contains the rows of the whole file, sorted in each of its files, if its groups are %s',
    async (groups) => {
      const path = join(await openFolder(), 'rates.json')
      await generateInNetworkFile(path, { megabytes: 4, groups, largeItem: 0, seed: 1 })
      const cut = await encode(path, { sizes: { prices: 400_000, groups: 20_000 } })
      const whole = await encode(path, {})
      await expectSameFacts(cut, whole)
      expect(whole.encoded.findings).toEqual([])
      expect(cut.files.length).toBeGreaterThan(4)
      expect(cut.left).toEqual([])
      await expectSameRows(cut.folder, whole.folder)
      for (const { name, sortedBy } of sourceTables) {
        const order = sortedBy.join(', ')
        for (const written of cut.files.filter((each) => each.startsWith(name))) {
          const select = `SELECT ${order} FROM read_parquet('${cut.folder}/${written}', file_row_number = true) ORDER BY `
          expect(await query(`${select} file_row_number`)).toEqual(await query(`${select} ${order}`))
        }
      }
    },
    120_000,
  )

  it('refuses a file that ends within a later portion', async () => {
    const path = join(await openFolder(), 'rates.json')
    await generateInNetworkFile(path, { megabytes: 4, groups: 'unique', largeItem: 0, seed: 1 })
    await truncate(path, 3_900_000)
    await expect(encode(path, { sizes: { prices: 400_000 } })).rejects.toThrow('is cut short at byte 3900000')
  })

  it('ends with the reason of its signal while a portion is written', async () => {
    const path = join(await openFolder(), 'rates.json')
    await generateInNetworkFile(path, { megabytes: 4, groups: 'referenced', largeItem: 0, seed: 1 })
    const stopping = new AbortController()
    const onProgress = ({ prices }: { readonly prices: number }) =>
      void (prices > 10_000 && stopping.abort(new Error('stopped')))
    const stopped = encode(path, { sizes: { prices: 400_000 }, signal: stopping.signal, onProgress })
    await expect(stopped).rejects.toThrow('stopped')
  })

  it('waits on disk until references are defined that come after the prices that name them', async () => {
    const { provider_references, in_network, ...fields } = buildFile({
      // Some are matched by their number, some dangle.
      in_network: Array.from({ length: 9 }, (_, index) => buildItem({ references: [1, '1.0', '2.0', index] })),
      provider_references: [1, 2, 5].map((provider_group_id) => buildReference({ provider_group_id })),
    })
    const path = join(await openFolder(), 'rates.json')
    await writeFile(path, JSON.stringify({ ...fields, in_network, provider_references }))
    const cut = await encode(path, { sizes: { prices: 1, groups: 1 } })
    const whole = await encode(path, {})
    await expectSameFacts(cut, whole)
    expect(cut.encoded.prices).toBe(9)
    expect(cut.files.length).toBeGreaterThan(9)
    expect(cut.left.filter((name) => name.startsWith('portion'))).toEqual([])
    await expectSameRows(cut.folder, whole.folder)
  })

  it('waits on disk until the code of an item is known that comes after more rates than fit', async () => {
    const { billing_code, ...item } = buildItem()
    const negotiated_rates = Array.from({ length: 40_000 }, (_, index) => ({
      provider_references: [1 + (index % 3)],
      negotiated_prices: [buildPrice({ negotiated_rate: index })],
    }))
    const content = buildFile({
      provider_references: [1, 2].map((provider_group_id) => buildReference({ provider_group_id })),
      in_network: [
        { ...item, negotiated_rates, billing_code },
        { ...item, negotiated_rates, billing_code: null },
        buildItem({ references: [1] }),
      ],
    })
    const path = join(await openFolder(), 'rates.json')
    await writeFile(path, JSON.stringify(content))
    const cut = await encode(path, { sizes: { prices: 800_000, groups: 1 } })
    const whole = await encode(path, {})
    await expectSameFacts(cut, whole)
    expect(cut.encoded).toMatchObject({ prices: 26_668, codes: 1 })
    expect(cut.files.length).toBeGreaterThan(4)
    await expectSameRows(cut.folder, whole.folder)
  }, 60_000)

  it('unites definitions of an id that are far apart, each row once', async () => {
    const define = (id: number, network: string, npis: readonly number[]) =>
      buildReference({
        provider_group_id: id,
        network_name: [network],
        provider_groups: [buildGroup({ npi: npis.map((npi) => 1_000_000_000 + npi) })],
      })
    const content = buildFile({
      provider_references: [
        define(1, 'Alpha', [1, 2]),
        define(2, 'Alpha', [3]),
        define(1, 'Alpha', [2, 4]),
        define(2, 'Alpha', [3]),
        define(1, 'Zeta', [2]),
      ],
      in_network: [buildItem({ references: [1, 2] })],
    })
    const path = join(await openFolder(), 'rates.json')
    await writeFile(path, JSON.stringify(content))
    for (const groups of [1, 1_000_000]) {
      const { folder, encoded } = await encode(path, { sizes: { groups } })
      const select = 'npi, network_name, provider_group_npi_count AS count'
      expect(await query(`SELECT ${select} FROM ${rowsOf(folder)} ORDER BY ALL`)).toEqual([
        ['1000000001', ['Alpha'], 3],
        ['1000000002', ['Alpha'], 3],
        ['1000000002', ['Zeta'], 3],
        ['1000000003', ['Alpha'], 1],
        ['1000000004', ['Alpha'], 3],
      ])
      expect(encoded).toMatchObject({ npis: 4, rates: 5 })
      const positions = ['provider_references[3]', 'provider_references[4]']
      expect(encoded.findings).toEqual([{ rule: 'repeated-definition', count: 2, examples: positions }])
    }
  })

  it('cuts a file before a rate names a reference, and joins references that are defined after all prices', async () => {
    const inline = { negotiated_rates: [{ provider_groups: [buildGroup()], negotiated_prices: [buildPrice()] }] }
    const named = { negotiated_rates: [{ provider_references: [1], negotiated_prices: [buildPrice()] }] }
    const { provider_references, in_network, ...fields } = buildFile({
      in_network: [inline, inline, inline, named, inline, named].map((item) => buildItem(item)),
      provider_references: [buildReference({ provider_group_id: 1 })],
    })
    const path = join(await openFolder(), 'rates.json')
    await writeFile(path, JSON.stringify({ ...fields, in_network, provider_references }))
    const cut = await encode(path, { sizes: { prices: 1, groups: 1 } })
    const whole = await encode(path, {})
    expect(cut.files.length).toBeGreaterThan(6)
    await expectSameFacts(cut, whole)
    await expectSameRows(cut.folder, whole.folder)
  })

  it.each([
    ['kept', {}],
    ['without a code', { billing_code: null }],
  ] as const)(
    'counts the NPIs of inline groups that are written before the end of an item that is %s',
    async (_title, fields) => {
      const rates = Array.from({ length: 30_000 }, (_, index) => ({
        provider_groups: [buildGroup({ npi: [1_000_000_000 + index, 1_000_000_001 + index] })],
        negotiated_prices: [buildPrice()],
      }))
      const [first, others] = [rates.slice(0, 9), rates.slice(-9)]
      const content = buildFile({
        in_network: [first, rates, others].map((negotiated_rates, index) => {
          const item = buildItem({ billing_code: `${index}` })
          return { ...item, ...(index === 1 && fields), negotiated_rates }
        }),
        provider_references: [],
      })
      const path = join(await openFolder(), 'rates.json')
      await writeFile(path, JSON.stringify(content))
      const cut = await encode(path, { sizes: { groups: 100_000 } })
      const whole = await encode(path, {})
      expect(cut.files.length).toBeGreaterThan(20)
      await expectSameFacts(cut, whole)
      expect(whole.encoded.npis).toBe('billing_code' in fields ? 20 : 30_001)
      await expectSameRows(cut.folder, whole.folder)
    },
    60_000,
  )

  it('keeps the keys of references apart from the keys of inline groups', async () => {
    const ids = ['~00000000', '~~00000000', '~', 'ÿ', '}', 1]
    const content = buildFile({
      provider_references: ids.map((provider_group_id, index) =>
        buildReference({ provider_group_id, provider_groups: [buildGroup({ npi: [1_000_000_010 + index] })] }),
      ),
      in_network: [0, 1].map((item) =>
        buildItem({
          negotiated_rates: ids.map((id, index) => ({
            provider_references: [id],
            provider_groups: [buildGroup({ npi: [1_000_000_100 + 10 * item + index] })],
            negotiated_prices: [buildPrice()],
          })),
        }),
      ),
    })
    const path = join(await openFolder(), 'rates.json')
    await writeFile(path, JSON.stringify(content))
    const { folder } = await encode(path, {})
    const rows = await query(
      `SELECT npi, provider_group_id, count(*) AS count FROM ${rowsOf(folder)} GROUP BY ALL ORDER BY npi`,
    )
    const ofReferences = ids.map((id, index) => [`${1_000_000_010 + index}`, `${id}`, '2'])
    const ofInline = [0, 1].flatMap((item) =>
      ids.map((_, index) => [`${1_000_000_100 + 10 * item + index}`, null, '1']),
    )
    expect(rows).toEqual([...ofReferences, ...ofInline])
  })

  it('gives a reference that a filter leaves out no other group of the same number, in any portion', async () => {
    const reference = (id: number | string, network: string, npi: number) =>
      buildReference({ provider_group_id: id, network_name: [network], provider_groups: [buildGroup({ npi: [npi] })] })
    const content = buildFile({
      provider_references: [
        ...[reference(1, 'Zeta', 1_000_000_001), reference('1.0', 'Alpha', 1_000_000_002)],
        reference(2, 'Alpha', 1_000_000_003),
      ],
      in_network: Array.from({ length: 6 }, () => buildItem({ references: [1, 2] })),
    })
    const path = join(await openFolder(), 'rates.json')
    await writeFile(path, JSON.stringify(content))
    const { folder, files } = await encode(path, { sizes: { prices: 1 }, ...filterOption({ networks: ['Alpha'] }) })
    expect(files.length).toBeGreaterThan(4)
    expect(await query(`SELECT npi, count(*) AS count FROM ${rowsOf(folder)} GROUP BY npi`)).toEqual([
      ['1000000003', '6'],
    ])
  })

  it.each([
    ['2.x', file],
    ['1.x', schema1File],
  ] as const)(
    'contains the rows and findings of the whole file, for any file of schema %s and any filter',
    async (_schema, anyFile) => {
      const path = join(await openFolder(), 'rates.json')
      await fc.assert(
        fc.asyncProperty(
          anyFile,
          anyFilter,
          fc.integer({ min: 1, max: 8000 }),
          fc.constantFrom(1, 1000, 1_000_000),
          async (content, kept, prices, groups) => {
            await writeFile(path, JSON.stringify(content))
            const filter = filterOption(kept)
            const cut = await encode(path, { ...filter, sizes: { prices, groups } })
            const whole = await encode(path, filter)
            expect({ ...cut.encoded, findings: inAnyOrder(cut.encoded.findings) }).toEqual({
              ...whole.encoded,
              groupRows: cut.encoded.groupRows,
              findings: inAnyOrder(whole.encoded.findings),
            })
            await expectSameRows(cut.folder, whole.folder)
            await Promise.all([cut, whole].map(({ folder }) => rm(folder, { recursive: true })))
          },
        ),
        { numRuns: Number(process.env['HOSTILE_FILES'] ?? 12) },
      )
    },
    600_000,
  )
})
