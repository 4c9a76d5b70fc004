import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { parseRequest, writeRequest } from '../../../adapters/dynamodb/jobs/request-items.ts'
import { makeEmptyShard } from '../../../adapters/s3/empty-shard.ts'
import { runCommandLine } from '../../../client/cli/run.ts'
import { parseSearchRequest } from '../../../core/search/parse-search-request.ts'
import { selectStatement } from '../../../core/search/statement.ts'
import { type Column, trinoType } from '../../../schema/columns/column.ts'
import { ratesColumns, relationColumns } from '../../../schema/columns/rates.ts'
import { columnsKeyOf, findSchemaFault, shardSchema } from '../../../schema/columns/shard-schema.ts'
import { resultColumns } from '../../../schema/summary/result-columns.ts'
import { summaryColumns } from '../../../schema/summary/summary-columns.ts'
import { describeFooter } from '../../adapters/s3/trino-files.ts'
import { json, openTools } from '../../client/assistants/open-tools.ts'
import { makeWorld } from '../../client/cli/world.ts'
import { writeByDuckdb } from '../../parquet/write-by-duckdb.ts'
import { readText } from '../../templates/source-files.ts'

const body = { billing_codes: ['99213'], fee_schedules: [{ payer: 'Acme', plan: 'Gold' }] }
const loaded = { contents: ['content-1'], nppesMonthId: 'month' }
const allNames = relationColumns.map(({ name }) => name)

/** A column and its place in the row. */
interface Placed extends Pick<Column, 'name' | 'type'> {
  readonly index: number
}

/** A number that only this column has. */
const numberOf = ({ index }: Placed) => 900_000 + index

/** SQL of a value that only this column has; texts begin with zeros, which spreadsheets drop from numbers. */
const writtenAs: Readonly<Record<string, (column: Placed) => string>> = {
  varchar: (column) => `'00${numberOf(column)}'`,
  'varchar ARRAY': (column) => `['00${numberOf(column)}', 'x']`,
  date: ({ index }) => `DATE '2026-01-01' + ${index}`,
}

/** Writes a file of a result with one row. */
const writeRow = (columns: readonly Placed[]) =>
  writeByDuckdb(
    `SELECT ${columns
      .map((column) => {
        const value = writtenAs[column.type]?.(column) ?? numberOf(column)
        return `(${value})::${column.type === 'varchar ARRAY' ? 'VARCHAR[]' : column.type} AS ${column.name}`
      })
      .join(', ')}`,
    'COMPRESSION snappy',
  )

/** The value as a reader sees it. */
function shownOf(column: Placed): string {
  if (column.type === 'varchar ARRAY') return `00${numberOf(column)}, x`
  if (column.type === 'date') return new Date(Date.UTC(2026, 0, 1 + column.index)).toISOString().slice(0, 10)
  return column.type === 'varchar' ? `00${numberOf(column)}` : String(numberOf(column))
}

/** Converts a file to CSV as `rate-search csv` does, and returns its cells and the lines that explain the columns. */
async function writeCsv(bytes: Uint8Array) {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'each-column-'))
  const file = join(folder.path, 'a.parquet')
  const out = join(folder.path, 'a.csv')
  await writeFile(file, bytes)
  expect(await runCommandLine(['csv', file, '--out', out], makeWorld(), '1')).toBe(0)
  const [head = '', row = ''] = await readLines(out)
  const cells = row.match(/"(?:[^"]|"")*"|[^,]+/g) ?? []
  return { head: head.split(','), cells, explained: await readLines(out.replace('.csv', '-columns.csv')) }
}

const readLines = async (path: string) => (await readFile(path, 'utf8')).replace('\ufeff', '').trim().split('\r\n')

/** A cell of CSV as the text that a spreadsheet shows. */
const textOf = (cell = '') =>
  cell
    .replace(/^"(.*)"$/s, '$1')
    .replaceAll('""', '"')
    .replace(/^="(.*)"$/s, '$1')

describe.each([
  ['rows', ratesColumns, 'docs/result-schema.md', undefined],
  ['summaries', summaryColumns, 'docs/summary-schema.md', { weight: 'tins', by: [] }],
] as const)('a column of %s', (_, columns: typeof ratesColumns | typeof summaryColumns, page, summary) => {
  const placed = columns.map(({ name, type }, index) => ({ name, type, index }))
  let csv: Awaited<ReturnType<typeof writeCsv>>
  beforeAll(async () => {
    csv = await writeCsv(await writeRow(placed))
  })

  describe.each(placed)('such as $name', (column) => {
    const { name, type, index } = column
    const request = { ...parseSearchRequest(body), ...(summary && { summary }) }

    it('takes its place in the statements of searches, with its type', () => {
      for (const scope of [loaded, { columns: allNames }])
        expect(selectStatement(request, scope)).toMatch(new RegExp(` AS ${name}\\b`))
      expect(resultColumns(request)[index]).toMatchObject({ name, type })
    })

    it('must be in each file of a result, also in an empty one', () => {
      const others = columns.filter((each) => each.name !== name)
      expect(findSchemaFault(shardSchema(others), columns)).toBeDefined()
      expect(columnsKeyOf(others)).not.toBe(columnsKeyOf(columns))
      expect(describeFooter(makeEmptyShard(columns)).schema[index]).toEqual({ name, type, optional: true })
    })

    it('keeps its value in CSV for spreadsheets, which explains it', () => {
      expect(csv.head[index]).toBe(name)
      expect(textOf(csv.cells[index])).toBe(shownOf(column))
      expect(csv.explained[index + 1]).toMatch(new RegExp(`^${name},.+`))
    })

    it('stands in its document, with its type', () => {
      expect(readText(page)).toContain(`\n| ${index + 1} | \`${name}\` | \`${trinoType(type)}\` | `)
    })
  })
})

const rowColumns = ratesColumns.map(({ name, type }, index) => ({ name, type, index }))

/** Columns of a price that assistants are not told when it is explained, each with the reason. */
const untold: ReadonlyMap<string, string> = new Map([
  ['provider_taxonomy', 'find_providers tells it'],
  ['provider_zip', 'its city and state are told'],
  ['tin_type', 'a TIN tells its type by its form'],
  ['plan_ids', 'there may be thousands; find_plans tells some'],
])

/** Asks the tool `read_rows` for the only price of a file. */
async function explainPrice(bytes: Uint8Array<ArrayBuffer>, priceId: string): Promise<string> {
  const shard = { name: 'a.parquet', url: 'https://storage.example/a.parquet', rows: 1, bytes: 1, checksum: null }
  const jobId = '2a39443a-064f-4d78-b562-c11683209ccf'
  const manifest = { job_id: jobId, status: 'completed', request: body, fee_schedules: [], shards: [shard] }
  const tools = openTools((path) => (path === '/a.parquet' ? new Response(bytes) : json(manifest)()))
  return await tools.send('tools/call', { name: 'read_rows', arguments: { job_id: jobId, price_id: priceId } })
}

let told: string
beforeAll(async () => {
  const priceId = rowColumns.find(({ name }) => name === 'price_id')
  told = await explainPrice(await writeRow(rowColumns), priceId ? shownOf(priceId) : '')
})

describe.each(rowColumns)('the column $name', (column) => {
  const { name } = column

  it('can be asked for alone', () => {
    const request = parseSearchRequest({ ...body, columns: [name, name] })
    expect(parseRequest(writeRequest('org', 'hash', request, new Date(0)))).toEqual(request)
    expect(resultColumns(request).map((each) => each.name)).toEqual([name])
    const statement = selectStatement(request, { columns: allNames })
    expect(statement.match(/(?<= AS )\w+(?=,?$)/gm)).toEqual([name])
  })

  it('gets proposed to those who misspell it', () => {
    const misspelt = () => parseSearchRequest({ ...body, columns: [`${name}x`] })
    expect(misspelt).toThrow(new RegExp(`did you mean \`${name}\`|the columns are .*\\b${name}\\b`))
  })

  it('becomes a NULL of its type over a relation that lacks it', () => {
    const lacking = { columns: allNames.filter((each) => each !== name) }
    expect(selectStatement(parseSearchRequest(body), lacking)).toMatch(
      new RegExp(`CAST\\(NULL AS [^\\n]*\\) AS ${name}\\b`),
    )
  })

  it('reaches assistants that explain a price, unless there is a reason', () => {
    const [value = ''] = shownOf(column).split(', ')
    expect([name, told.includes(value)]).toEqual([name, !untold.has(name)])
  })

  it('stands in the example of the documents', () => {
    expect([name, readText('docs/result-values.md').includes(`\n| \`${name}\` | `)]).toEqual([name, true])
  })
})
