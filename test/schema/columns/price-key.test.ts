import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { trinoFunctions } from '../../../local/athena/duckdb-sql.ts'
import { ratesViewSelect } from '../../../schema/columns/rates-views.ts'
import { warehouseTables } from '../../../schema/columns/warehouse-tables.ts'
import { readText } from '../../templates/source-files.ts'

const document = readText('docs/result-values.md')

/** Texts in which a separator, a mark for NULL or nothing could be mistaken for something else. */
const text = fc.constantFrom<string[]>(
  '',
  ',',
  ';',
  '/',
  '|',
  '!',
  '?',
  'a',
  'b',
  'a,b',
  'a;b',
  'a/b',
  'a|b',
  '!,?',
  'é',
  '\u0000',
  '\u001f',
)
const orNull = fc.option(text, { freq: 3 })
const set = fc.option(
  fc.uniqueArray(text, { minLength: 1, maxLength: 3 }).map((texts) => texts.sort()),
  { freq: 2 },
)
const terms = {
  billing_code_type: text,
  billing_code: text,
  rate_unit: text,
  negotiated_type: text,
  negotiation_arrangement: text,
  billing_class: orNull,
  setting: orNull,
  severity_of_illness: orNull,
  additional_information: orNull,
  service_code: set,
  billing_code_modifier: set,
  bundled_codes: set,
  covered_services: set,
}
/** Columns that the key ignores. */
const ignoredColumns = {
  negotiated_rate: fc.constantFrom('1', '2.5'),
  npi: fc.constantFrom('1000000001', '1000000002'),
  source_file: text,
  price_ordinal: fc.constantFrom('1', '2'),
  description: orNull,
  last_updated_on: fc.constant('2026-11-01'),
}
const row = fc.record({
  payer: text,
  plan: text,
  plan_ids: set,
  tin_type: text,
  tin_value: text,
  network_name: set,
  ...terms,
  ...ignoredColumns,
})
type Row = typeof row extends fc.Arbitrary<infer Value> ? Value : never

/** Returns the values from which the key is made, by a second implementation. */
function meaningOf(row: Row): string {
  const { payer, plan, plan_ids, tin_type, tin_value, network_name } = row
  const place = network_name?.toSorted() ?? (plan_ids === null ? plan : { plan_ids })
  const priced = Object.keys(terms).map((name) => Object.entries(row).find(([column]) => column === name))
  return JSON.stringify([payer, place, tin_type, tin_value, priced])
}

/** Returns the keys that the view computes for rows, in their order. */
async function keysOf(rows: readonly Row[]): Promise<readonly string[]> {
  const instance = await DuckDBInstance.create(':memory:')
  try {
    const connection = await instance.connect()
    for (const { name, columns } of warehouseTables) {
      const types = columns.map(({ name: column, type }) => `${column} ${type.replace(' ARRAY', '[]')}`)
      await connection.run(`CREATE TABLE ${name} (${types.join(', ')}, bucket varchar, "$path" varchar)`)
      const values = rows.map((row, index) => {
        const ids = { source_id: String(index), content_id: 'c', bucket: 'b' }
        const groups = { provider_group_key: 'g', provider_group_keys: ['g'] }
        const valuesByColumn = new Map<string, Value>(Object.entries({ ...row, ...ids, ...groups }))
        return `(${[...columns.map((column) => column.name), 'bucket', '$path'].map((column) => write(valuesByColumn.get(column) ?? null))})`
      })
      await connection.run(`INSERT INTO ${name} VALUES ${values}`)
    }
    for (const definition of trinoFunctions) await connection.run(definition)
    const keys = `SELECT price_key FROM (${ratesViewSelect()}) ORDER BY CAST(source_id AS integer)`
    return (await connection.runAndReadAll(keys)).getRows().flat().map(String)
  } finally {
    instance.closeSync()
  }
}

type Value = string | readonly string[] | null

/** Returns a row, always the same. */
function sample(): Row {
  const [first] = fc.sample(row, { numRuns: 1, seed: 1 })
  if (first === undefined) throw new TypeError('no row')
  return first
}

const write = (value: Value): string => {
  if (value === null) return 'NULL'
  if (typeof value !== 'string') return `[${value.map(write).join(', ')}]`
  return `decode(from_hex('${Buffer.from(value).toString('hex')}'))`
}

describe('the key of a price', () => {
  it('equals another key exactly if the terms of both prices are equal, whatever their amounts, NPIs and files', async () => {
    const change = fc.tuple(
      row,
      fc.record({ ...terms, ...ignoredColumns, network_name: set, plan_ids: set, plan: text }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 40, maxLength: 60 }), fc.nat(), async (pairs, seed) => {
        // A neighbour of each row, which differs in one column.
        const rows = pairs.flatMap(([first, changed], index) => {
          const names = Object.entries(changed)
          const replacement = names[(seed + index) % names.length]
          return [first, { ...first, ...(replacement && Object.fromEntries([replacement])) }]
        })
        const keys = await keysOf(rows)
        const meanings = rows.map(meaningOf)
        expect(keys).toHaveLength(rows.length)
        const pairsOf = new Set(keys.map((key, index) => `${key} ${meanings[index]}`))
        expect([new Set(keys).size, new Set(meanings).size]).toEqual([pairsOf.size, pairsOf.size])
      }),
      { numRuns: 5 },
    )
  })

  it.each<readonly [string, Partial<Row>, Partial<Row>]>([
    ['a comma', { setting: 'a,b', severity_of_illness: 'c' }, { setting: 'a', severity_of_illness: 'b,c' }],
    ['a semicolon', { setting: 'a;b', severity_of_illness: 'c' }, { setting: 'a', severity_of_illness: 'b;c' }],
    ['a slash', { service_code: ['a/b'] }, { service_code: ['a', 'b'] }],
    ['a bar', { service_code: ['a|b'] }, { service_code: ['a', 'b'] }],
    ['an exclamation mark', { setting: '!' }, { setting: null }],
    ['a question mark', { setting: '?' }, { setting: null }],
    ['nothing', { setting: '' }, { setting: null }],
  ])('distinguishes %s in a value from the marks between values', async (_, one, other) => {
    const keys = await keysOf([
      { ...sample(), ...one },
      { ...sample(), ...other },
    ])
    expect(new Set(keys).size).toBe(2)
  })

  it('follows from the texts that docs/result-values.md shows for its example row', () => {
    const [, key = ''] = /^\| `price_key` \| (\w+) \|$/m.exec(document) ?? []
    const [, example = ''] = /```text\n([\s\S]+?)\n```/.exec(document) ?? []
    const hashes = example.split('\n').map((line) => createHash('md5').update(line).digest('hex'))
    expect(hashes.map((hash, index) => hash.slice(0, [12, 16, 16][index])).join('')).toBe(key)
  })

  it('equals the key that the Python of docs/result-values.md computes from a row', async ({ skip }) => {
    const python = process.env['COOKBOOK_PYTHON'] ?? 'python3'
    if (spawnSync(python, ['--version']).status !== 0) skip('no Python')
    const rows = fc.sample(row, { numRuns: 300, seed: 5 })
    const [, snippet = ''] = /```python\n([\s\S]+?)```/.exec(document) ?? []
    const program = `import json, sys\n${snippet}\nprint("\\n".join(map(price_key, json.load(sys.stdin))))`
    const { stdout, stderr } = spawnSync(python, ['-c', program], { input: JSON.stringify(rows), encoding: 'utf8' })
    expect(stderr).toBe('')
    expect(stdout.trim().split('\n')).toEqual(await keysOf(rows))
  })

  it('does not depend on the order or repetition of networks', async () => {
    const of = (network_name: string[] | null) => ({ ...sample(), network_name })
    const keys = await keysOf([of(['A', 'B']), of(['B', 'A']), of(['A', 'B', 'A']), of(['A']), of(['A,B']), of(null)])
    expect(new Set(keys).size).toBe(4)
    expect(new Set(keys.slice(0, 3)).size).toBe(1)
  })
})
