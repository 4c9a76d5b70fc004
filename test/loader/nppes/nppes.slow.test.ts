import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadNppes, type NppesRequest } from '../../../loader/nppes/load-nppes.ts'
import { cleanNppesMonths, removeNppesMonth, rollBackNppesMonth } from '../../../loader/nppes/manage-nppes-months.ts'
import { type NppesLine, nppesHeader, writeNppes } from '../../../local/samples/generator/nppes-layout.ts'
import { directoryTable, providersTable } from '../../../schema/columns/providers-table.ts'
import type { WarehouseTable } from '../../../schema/columns/warehouse-tables.ts'
import { createClock } from '../../builders/sample-search.ts'
import { createTestWarehouse, type TestWarehouse } from '../../builders/test-warehouse.ts'
import { zip } from '../../fetch/zip-builder.ts'
import { runDuckdb } from '../../local/athena/warehouse-fixture.ts'
import { nppesColumns, nppesLine } from './nppes-builder.ts'

const name = 'npidata_pfile_20050523-20261109.csv'
const taxonomyCode = (position: number) => `Healthcare Provider Taxonomy Code_${position}`
const taxonomySwitch = (position: number) => `Healthcare Provider Primary Taxonomy Switch_${position}`

let warehouse: TestWarehouse
let clock: ReturnType<typeof createClock>
let ids = 0

beforeEach(async () => {
  warehouse = await createTestWarehouse()
  clock = createClock(new Date())
})

afterEach(() => warehouse[Symbol.asyncDispose]())

const deps = () => {
  return { warehouse: warehouse.folder, contents: warehouse.contents, newId: () => `r${ids++}`, now: clock.now }
}

const load = async (content: string | Uint8Array, request: Partial<NppesRequest> = {}, file = name) =>
  loadNppes({ path: await warehouse.write(file, content), ...request }, deps())

const month = async () => (await warehouse.contents.readNppesMonths())?.active?.month

/** The rows of all months in a table of the warehouse, in their order. */
const readTable = (name: 'providers' | 'provider_directory') =>
  runDuckdb(`SELECT CAST(npi AS varchar), provider_name, provider_taxonomy, provider_city, provider_state, provider_zip
    FROM read_parquet('${warehouse.root}/${name}/*/*.parquet')`)

const readRows = () => readTable('providers')
const readDirectory = () => readTable('provider_directory')

/** A second reader of CSV, character by character, for files without broken lines. */
function parseCsv(text: string): readonly NppesLine[] {
  const rows: string[][] = [[]]
  let [value, isQuoted] = ['', false]
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (isQuoted && char === '"' && text[at + 1] === '"') value += text[at++]
    else if (char === '"') isQuoted = !isQuoted
    else if (!isQuoted && (char === ',' || char === '\n')) {
      rows.at(-1)?.push(value)
      value = ''
      if (char === '\n') rows.push([])
    } else if (isQuoted || char !== '\r') value += char
  }
  const [header = [], ...lines] = rows.slice(0, -1)
  return lines.map((line) => Object.fromEntries(header.map((column, index) => [column, line[index] ?? ''])))
}

const blankAsNull = (text = '') => text.replace(/\s+/g, ' ').trim() || null

/** Derives the expected columns of each NPI by the rules of docs/nppes.md. */
function describeNaively(lines: readonly NppesLine[]): readonly (readonly unknown[])[] {
  const isActive = (line: NppesLine) => !line[nppesColumns.deactivated] || line[nppesColumns.reactivated]
  const first = new Map<string, NppesLine>()
  for (const line of lines.filter(isActive)) if (!first.has(line['NPI'] ?? '')) first.set(line['NPI'] ?? '', line)
  return [...first]
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([npi, line]) => {
      const person = [line[nppesColumns.firstName], line[nppesColumns.middleName], line[nppesColumns.lastName]]
      const full = person.map((part) => (part ?? '').trim()).filter((part) => part !== '')
      const positions = Array.from({ length: 15 }, (_, index) => index + 1)
      const primary = positions.find(
        (position) => line[taxonomySwitch(position)] === 'Y' && line[taxonomyCode(position)],
      )
      const position = primary ?? positions.find((each) => line[taxonomyCode(each)])
      const isAbroad = (line[nppesColumns.country] || 'US') !== 'US'
      const zip = /^(\d{5})(-?\d{4})?$/.exec(line[nppesColumns.zip] ?? '')?.[1] ?? null
      return [
        npi,
        blankAsNull(line[nppesColumns.entityType] === '1' ? full.join(' ') : line[nppesColumns.organization]),
        position === undefined ? null : (line[taxonomyCode(position)] ?? null),
        blankAsNull(line[nppesColumns.city]),
        blankAsNull(line[nppesColumns.state])?.toUpperCase() ?? null,
        isAbroad ? null : zip,
      ]
    })
}

/** Compares rows of the directory by state, ZIP code and name; a missing value comes last. */
function comparePositions(one: readonly unknown[], other: readonly unknown[]): number {
  const keyOf = ([npi, name, , , state, zip]: readonly unknown[]) => [state, zip, name, npi]
  const pairs = keyOf(one).map((value, index) => [value, keyOf(other)[index]] as const)
  const [a, b] = pairs.find(([value, otherValue]) => value !== otherValue) ?? []
  if (a === null || b === null) return a === null ? 1 : -1
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))
}

const samples: readonly NppesLine[] = [
  nppesLine(
    { npi: '1987654321', entityType: '2', organization: 'Smith, Jones & "Sons"\nClinic', city: 'SALEM', state: 'or' },
    { [taxonomyCode(1)]: '261Q00000X', [taxonomyCode(3)]: '282N00000X', [taxonomySwitch(3)]: 'Y' },
  ),
  nppesLine(
    { npi: '1003000126', entityType: '1', firstName: 'ARDALAN', middleName: 'A', lastName: "O'NEIL", zip: '208171234' },
    { [taxonomyCode(2)]: '207R00000X', [taxonomySwitch(2)]: 'N' },
  ),
  nppesLine({ npi: '1003000134', entityType: '1', firstName: 'ANN', lastName: 'LEE', zip: '60201', country: 'US' }),
  nppesLine({ npi: '1003000142', entityType: '1', lastName: 'ROY', zip: 'K1A 0B6', country: 'CA', state: 'ONTARIO' }),
  nppesLine({ npi: '1003000159', entityType: '1', lastName: 'KLEIN', zip: '10115', country: 'DE' }),
  nppesLine({ npi: '1003000167', deactivated: '03/04/2019' }),
  nppesLine({
    npi: '1003000175',
    entityType: '2',
    organization: 'BACK',
    deactivated: '03/04/2019',
    reactivated: '1/2/2020',
  }),
  nppesLine({ npi: '1003000126', entityType: '1', lastName: 'TWICE' }),
]

describe('a monthly file', () => {
  it('uses the 329 columns of CMS’s layout in these tests', () => {
    expect(nppesHeader).toHaveLength(329)
    expect(new Set(nppesHeader).size).toBe(329)
  })

  it.each([
    ['\n', 'line feeds'],
    ['\r\n', 'CRLF'],
  ])('becomes a row for each active NPI, sorted, with lines that end in %j', async (lineEnd) => {
    const text = writeNppes(samples, lineEnd)
    expect(await load(text)).toMatchObject({ rows: 6, deactivated: 1, broken: 0, repeated: 1 })
    const rows = await readRows()
    expect(rows).toEqual(describeNaively(parseCsv(text)))
    expect(rows).toContainEqual(['1987654321', 'Smith, Jones & "Sons" Clinic', '282N00000X', 'SALEM', 'OR', null])
    expect(rows).toContainEqual(['1003000126', "ARDALAN A O'NEIL", '207R00000X', null, null, '20817'])
  })

  it('lists the providers with a place in its directory, by state, ZIP code and name', async () => {
    const { nppesMonth } = await load(writeNppes(samples))
    const providersWithPosition = describeNaively(samples).filter(
      ([, , , , state, zip]) => state !== null || zip !== null,
    )
    expect(providersWithPosition).toHaveLength(4)
    expect(await readDirectory()).toEqual(providersWithPosition.toSorted(comparePositions))
    const [file] = await warehouse.folder.list([directoryTable])
    expect([file?.id, nppesMonth.directory?.bytes]).toEqual([nppesMonth.nppesMonthId, expect.any(Number)])
  })

  it('becomes an empty directory if no provider has a place', async () => {
    const { rows, nppesMonth } = await load(writeNppes([nppesLine({ npi: '1003000167', entityType: '1' })]))
    expect([rows, await readDirectory()]).toEqual([1, []])
    expect(nppesMonth.directory?.bytes).toBeGreaterThan(0)
  })

  it('returns names as published, whatever characters they have', async () => {
    const text = fc.string({ unit: fc.constantFrom(...'aZ9é ,"\n\'\\;'), maxLength: 12 })
    const lines = fc.array(
      fc.record({
        entityType: fc.constantFrom('1', '2', ''),
        organization: text,
        firstName: text,
        lastName: text,
        city: text,
      }),
      { minLength: 1, maxLength: 30 },
    )
    await fc.assert(
      fc.asyncProperty(lines, async (given) => {
        await using own = await createTestWarehouse()
        const named = given.map((fields, index) => nppesLine({ ...fields, npi: String(1000000000 + index) }))
        const csv = writeNppes(named)
        const path = await own.write(name, csv)
        await loadNppes({ path }, { ...deps(), warehouse: own.folder, contents: own.contents })
        const rows = await runDuckdb(`SELECT CAST(npi AS varchar), provider_name, provider_taxonomy, provider_city,
          provider_state, provider_zip FROM read_parquet('${own.root}/providers/*/*.parquet')`)
        expect(rows).toEqual(describeNaively(parseCsv(csv)))
      }),
      { numRuns: 10 },
    )
  })

  it('may have its columns in another order, and others beside them', async () => {
    await load(writeNppes(samples, '\n', [...nppesHeader.toReversed(), 'Certification Date']))
    expect(await readRows()).toEqual(describeNaively(samples))
  })

  it('refuses a file with the names of the columns that it lacks', async () => {
    const header = nppesHeader.filter((column) => !/City Name|Switch_7$/.test(column))
    await expect(load(writeNppes(samples, '\n', header))).rejects.toThrow(
      'it has no column "Provider Business Practice Location Address City Name", "Healthcare Provider Primary Taxonomy Switch_7"',
    )
    expect(await month()).toBeUndefined()
    expect(await warehouse.listWorkspaces()).toEqual([])
  })

  it('counts broken lines, and refuses more than one in a hundred', async () => {
    const lines = Array.from({ length: 300 }, (_, index) => nppesLine({ npi: String(1000000000 + index) }))
    const broken = '"1999999999","1"\n'
    expect(await load(writeNppes(lines) + broken)).toMatchObject({ rows: 300, broken: 1 })
    await expect(load(writeNppes(lines) + broken.repeat(4))).rejects.toThrow('4 lines cannot be read')
  })

  it('refuses a file that ends within a line', async () => {
    await expect(load(writeNppes(samples).slice(0, -20))).rejects.toThrow('is cut short')
  })

  it.each(['reading', 'publishing'])('does not become active if it is stopped: %s', async (step) => {
    const stopping = new AbortController()
    const onStep = (begun: string) => {
      if (begun.startsWith(step)) stopping.abort()
    }
    const path = await warehouse.write(name, writeNppes(samples))
    const { signal } = stopping
    await expect(loadNppes({ path }, { ...deps(), signal, onStep })).rejects.toThrow('aborted')
    expect(await month()).toBeUndefined()
  })

  it('finds the file in CMS’s zip among its other files, and in a gzip', async () => {
    const entries = { 'readme.pdf': '%PDF', 'npidata_pfile_20050523-20261109_fileheader.csv': '"NPI"\n', [name]: '' }
    const csv = writeNppes(samples)
    for (const follows of [false, true]) {
      const files = Object.entries(entries).map(([entry, text]) => [entry, Buffer.from(text || csv)] as const)
      const archive = zip(
        files.map(([, content]) => content),
        { follows, names: files.map(([entry]) => entry) },
      )
      const { nppesMonth } = await load(archive, {}, 'NPPES_Data_Dissemination_November_2026.zip')
      expect(nppesMonth).toMatchObject({ month: '2026-11', rows: 6 })
    }
    expect((await load(gzipSync(csv), {}, `${name}.gz`)).rows).toBe(6)
  })

  it('refuses a zip that has no such file or is damaged', async () => {
    const csv = Buffer.from(writeNppes(samples))
    const archive = (entry: string, checksum?: () => number) =>
      zip([csv, csv], { names: [entry, 'b'], ...(checksum && { checksum }) })
    await expect(load(archive('pl_pfile.csv'), {}, 'a.zip')).rejects.toThrow('is a zip archive without a data file')
    await expect(
      load(
        archive(name, () => 1),
        {},
        'a.zip',
      ),
    ).rejects.toThrow('another checksum')
    await expect(load(archive(name).subarray(0, 900), {}, 'a.zip')).rejects.toThrow('is cut short')
  })

  it.each([
    ['JSON', 'choice-1.json', '{"in_network":[]}', 'which is CSV: it is JSON; npm run load loads files of rates'],
    ['JSON in a gzip', 'choice-1.json.gz', gzipSync('\ufeff[]'), 'it is JSON'],
    ['nothing', 'empty.csv.gz', gzipSync(''), 'it is empty'],
    ['other CSV', 'rates.csv', 'code,rate\n1,2\n', 'it has no column "NPI", "Entity Type Code", "'],
  ])('fails before anything is unpacked if it has %s, whatever its name', async (_title, file, content, fault) => {
    const steps: string[] = []
    const path = await warehouse.write(file, content)
    await expect(loadNppes({ path }, { ...deps(), onStep: (step) => steps.push(step) })).rejects.toThrow(fault)
    expect(steps).toEqual([])
  })

  it('needs a month, from its name or from the operator', async () => {
    await expect(load(writeNppes(samples), {}, 'nppes.csv')).rejects.toThrow('does not say a month')
    expect((await load(writeNppes(samples), { month: '2026-10' }, 'nppes.csv')).nppesMonth.month).toBe('2026-10')
  })

  it('refuses a month with far fewer NPIs than the active one, unless --replace is given', async () => {
    await load(writeNppes(samples))
    await expect(load(writeNppes(samples.slice(0, 2)))).rejects.toThrow('it may be a weekly update')
    expect((await load(writeNppes(samples.slice(0, 2)), { replace: true })).rows).toBe(2)
  })
})

describe('a month before the active one', () => {
  it('needs --allow-older, whether its name or the operator says the month', async () => {
    await load(writeNppes(samples))
    const older = 'npidata_pfile_20050523-20261012.csv'
    const refusal = 'it is of 2026-10, and 2026-11 is active: load a newer file, or use --allow-older'
    await expect(load(writeNppes(samples), {}, older)).rejects.toThrow(refusal)
    await expect(load(writeNppes(samples), { month: '2025-12', replace: true })).rejects.toThrow('it is of 2025-12')
    expect(await month()).toBe('2026-11')
    await load(writeNppes(samples), { allowOlder: true }, older)
    expect(await month()).toBe('2026-10')
    await load(writeNppes(samples), {}, older)
    await load(writeNppes(samples), { month: '2027-01' })
    expect(await month()).toBe('2027-01')
  })

  it('may be the file of this command by what another command has loaded meanwhile', async () => {
    const { contents, ...others } = deps()
    const { readNppesMonths } = warehouse.contents
    let isFirst = true
    const racing = {
      replaceNppesMonths: contents.replaceNppesMonths.bind(contents),
      async readNppesMonths() {
        if (!isFirst) return readNppesMonths.call(contents)
        isFirst = false
        await load(writeNppes(samples), { month: '2026-12' })
        return undefined
      },
    }
    const path = await warehouse.write(name, writeNppes(samples))
    await expect(loadNppes({ path }, { ...others, contents: racing })).rejects.toThrow('2026-12 is active')
    expect(await month()).toBe('2026-12')
  })

  it('may be any month if the active one cannot be read', async () => {
    await load(writeNppes(samples))
    const { active = expect.fail(), version } = (await warehouse.contents.readNppesMonths()) ?? expect.fail()
    const unreadable = { version: 'v2', active: { ...active, month: '11/2026' }, replaced: [] }
    await warehouse.contents.replaceNppesMonths(unreadable, version)
    await expect(load(writeNppes(samples))).rejects.toThrow('the active month is "11/2026", which cannot be compared')
    await load(writeNppes(samples), { allowOlder: true })
    expect(await month()).toBe('2026-11')
  })

  it.each(['20261309', '20260009'])('does not come from a name that ends with %s', async (day) => {
    await expect(load(writeNppes(samples), {}, `npidata_pfile_20050523-${day}.csv`)).rejects.toThrow('use --month')
  })
})

describe('the months of NPPES', () => {
  const loadMonth = (loaded: string) => load(writeNppes(samples), { month: loaded, allowOlder: true })

  it('returns to the replaced month by a rollback, and back by another', async () => {
    await expect(rollBackNppesMonth(deps())).rejects.toThrow('there is no month of NPPES to go back to')
    await loadMonth('2026-10')
    await expect(rollBackNppesMonth(deps())).rejects.toThrow('there is no month of NPPES to go back to')
    await loadMonth('2026-11')
    await rollBackNppesMonth(deps())
    expect(await month()).toBe('2026-10')
    await rollBackNppesMonth(deps())
    expect(await month()).toBe('2026-11')
  })

  it('can be removed, until a rollback', async () => {
    await loadMonth('2026-10')
    await removeNppesMonth(deps())
    expect(await month()).toBeUndefined()
    await expect(removeNppesMonth(deps())).rejects.toThrow('no month of NPPES is active')
    await rollBackNppesMonth(deps())
    expect(await month()).toBe('2026-10')
  })

  it('deletes months a day after they were replaced, with the files of killed loads', async () => {
    await loadMonth('2026-09')
    await loadMonth('2026-10')
    clock.advance(23 * 3600)
    expect(await cleanNppesMonths(deps())).toBe(0)
    await loadMonth('2026-11')
    clock.advance(2 * 3600)
    expect(await cleanNppesMonths(deps())).toBe(1)
    await rollBackNppesMonth(deps())
    expect(await month()).toBe('2026-10')
    clock.advance(25 * 3600)
    expect(await cleanNppesMonths(deps())).toBe(1)
    await expect(rollBackNppesMonth(deps())).rejects.toThrow('there is no month of NPPES to go back to')
    const { contents } = warehouse
    const killed = {
      ...deps(),
      contents: { ...contents, replaceNppesMonths: () => Promise.reject(new Error('killed')) },
    }
    await expect(loadNppes({ path: await warehouse.write(name, writeNppes(samples)) }, killed)).rejects.toThrow(
      'killed',
    )
    clock.advance(25 * 3600)
    expect(await cleanNppesMonths(deps())).toBe(1)
    expect(await month()).toBe('2026-10')
    const ids = (table: WarehouseTable) => warehouse.folder.list([table]).then((units) => units.map(({ id }) => id))
    expect(await ids(providersTable)).toHaveLength(1)
    expect(await ids(directoryTable)).toEqual(await ids(providersTable))
  })

  it('stay whole when two commands change them at once', async () => {
    await loadMonth('2026-10')
    await Promise.all([loadMonth('2026-11'), loadMonth('2026-12')])
    const { active, replaced } = (await warehouse.contents.readNppesMonths()) ?? expect.fail()
    const months = [active, ...replaced].map((each) => each?.month)
    expect(months.toSorted()).toEqual(['2026-10', '2026-11', '2026-12'])
  })
})
