import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { publishedTaxonomy } from '../../contract/provider-ids.ts'
import { findNameFault, normaliseName } from '../../contract/texts/names.ts'
import type { SpecialtiesAdmin } from '../../core/vocabulary/ports.ts'
import type { Specialty } from '../../core/vocabulary/specialties.ts'
import { openPublishedBytes, type ReadingOptions } from '../../fetch/published-bytes.ts'
import { at } from '../../schema/at.ts'
import { nameSome } from '../../schema/phrases.ts'
import type { WarehouseFolder } from '../publish/warehouse/warehouse-folder.ts'
import { readCsv } from './csv-relation.ts'
import { NppesRefused, readHeader, requireColumns } from './nppes-columns.ts'
import { openPlainPaths } from './plain-paths.ts'

export interface SpecialtiesDeps extends Pick<ReadingOptions, 'remote' | 'signal'> {
  readonly specialties: Pick<SpecialtiesAdmin, 'writeSpecialties'>
  /** Has a place on disk for the file while it is read. */
  readonly warehouse: Pick<WarehouseFolder, 'openWorkspace'>
  readonly newId: () => string
}

/** The columns that are read, by their names. Source: NUCC, "Health Care Provider Taxonomy", CSV. */
const columns = ['Code', 'Grouping', 'Classification', 'Specialization'] as const

type Line = Readonly<Record<(typeof columns)[number], string>>

/** Maximum number of specialties; NUCC has about 900. All are in one item of DynamoDB. */
const maxSpecialties = 5000

/** Maximum size of the unpacked file in bytes; NUCC's has half a megabyte, most of it definitions. */
const maxBytes = 1 << 24

const taxonomyFile = "NUCC's CSV of taxonomy codes"

/**
 * Reads NUCC's CSV of taxonomy codes and replaces the specialties that people find by name.
 *
 * @param path a path or address: CSV, gzip, or a zip with one CSV
 * @returns number of specialties
 * @throws NppesRefused, LoadRefused
 */
export async function loadSpecialties(path: string, deps: SpecialtiesDeps): Promise<number> {
  const text = await readText(path, deps)
  await using workspace = await deps.warehouse.openWorkspace({ tables: [], id: deps.newId() })
  const csv = join(workspace.scratch, 'specialties.csv')
  await writeFile(csv, text)
  const specialties = checkSpecialties(await parseLines(csv, readHeader(Buffer.from(text), taxonomyFile)))
  await deps.specialties.writeSpecialties(specialties)
  return specialties.length
}

/** Reads a text in UTF-8, or else in Windows-1252, in which spreadsheets save CSV. */
async function readText(path: string, { remote, signal }: SpecialtiesDeps): Promise<string> {
  await using file = await openPublishedBytes(path, { remote, signal, isWanted: (name) => /\.csv$/i.test(name) })
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of file.chunks) {
    size += chunk.length
    if (size > maxBytes) throw new NppesRefused(`not ${taxonomyFile}: it has more than ${maxBytes >> 20} MB`)
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

async function parseLines(csv: string, header: readonly string[]): Promise<readonly Line[]> {
  requireColumns(header, columns, taxonomyFile)
  const items = columns.map((name) => `coalesce(c${header.indexOf(name)}, '')`)
  await using paths = openPlainPaths()
  const database = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await database.connect()
  try {
    const relation = readCsv(await paths.of(csv), header.length, false)
    const rows = await connection.runAndReadAll(`SELECT ${items.join(', ')} FROM ${relation}`)
    return rows.getRows().map(([code, grouping, classification, specialization]) => ({
      ...{ Code: String(code), Grouping: String(grouping) },
      ...{ Classification: String(classification), Specialization: String(specialization) },
    }))
  } catch (error) {
    const reason = error instanceof Error ? at(error.message.split('\n'), 0) : String(error)
    throw new NppesRefused(`not ${taxonomyFile}: a line cannot be read (${reason})`)
  } finally {
    connection.closeSync()
    database.closeSync()
  }
}

/** @throws NppesRefused naming codes that cannot be listed */
function checkSpecialties(lines: readonly Line[]): readonly Specialty[] {
  const specialties = lines.map(({ Code, Grouping, Classification, Specialization }) => ({
    code: Code.trim().toUpperCase(),
    name: [Classification, Specialization]
      .map(normaliseName)
      .filter((part) => part !== '')
      .join(', '),
    grouping: normaliseName(Grouping),
  }))
  if (specialties.length === 0) throw new NppesRefused(`not ${taxonomyFile}: it has no code`)
  if (specialties.length > maxSpecialties)
    throw new NppesRefused(`not ${taxonomyFile}: it has ${specialties.length} codes, more than ${maxSpecialties}`)
  const counts = Map.groupBy(specialties, ({ code }) => code)
  const faulty = specialties.filter(
    ({ code, name, grouping }) =>
      !publishedTaxonomy.test(code) || [name, grouping].some((text) => findNameFault(text) !== undefined),
  )
  const repeated = [...counts].filter(([, same]) => same.length > 1).map(([code]) => code)
  const faults = [...new Set([...faulty.map(({ code }) => code), ...repeated])].map(quote)
  if (faults.length > 0)
    throw new NppesRefused(`${faults.length} codes are malformed, repeated or without a name: ${nameSome(faults)}`)
  return specialties
}

const quote = (text: string) => `"${text}"`
