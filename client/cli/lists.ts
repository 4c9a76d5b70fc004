import { readFile } from 'node:fs/promises'
import { nameSome } from '../../schema/phrases.ts'
import { UsageError } from '../command-line/command-errors.ts'
import type { World } from '../command-line/world.ts'
import { codeOf } from '../errors.ts'

/** The kind of values in a list. */
export interface ListKind {
  /** The flag, for error messages. */
  readonly flag: string
  /** Accepted names of the column in a file, in lower case and without other characters. */
  readonly columns: readonly string[]
  /** Pattern of a value. */
  readonly pattern: RegExp
  /** Description of a value for error messages. */
  readonly what: string
}

/** The lists of a search by their options. */
export const listKinds = {
  npi: {
    flag: '--npi',
    columns: ['npi', 'npis', 'npinumber', 'providernpi', 'nationalprovideridentifier'],
    pattern: /^(0|[1-9]\d{9})$/,
    what: 'an NPI: ten digits, or 0',
  },
  tin: {
    flag: '--tin',
    columns: ['tin', 'tins', 'taxid', 'taxidentificationnumber', 'ein', 'tinvalue'],
    pattern: /^\d[\d-]{0,18}\d$/,
    what: 'a TIN: 2 to 20 digits and hyphens',
  },
  code: {
    flag: '--code',
    columns: ['code', 'codes', 'billingcode', 'billingcodes', 'procedurecode', 'cpt', 'cptcode', 'hcpcs', 'hcpcscode'],
    pattern: /./,
    what: 'a billing code',
  },
  state: {
    flag: '--state',
    columns: ['state', 'states', 'providerstate'],
    pattern: /^[A-Za-z]{2}$/,
    what: 'a state or territory: two letters',
  },
  zip: {
    flag: '--zip',
    columns: ['zip', 'zips', 'zipcode', 'zipcodes', 'providerzip'],
    pattern: /^\d{5}$/,
    what: 'a ZIP code: five digits, without its +4',
  },
  taxonomy: {
    flag: '--taxonomy',
    columns: ['taxonomy', 'taxonomies', 'taxonomycode', 'providertaxonomy'],
    pattern: /^[A-Za-z0-9]{10}$/,
    what: 'an NUCC taxonomy code: ten letters and digits',
  },
} as const satisfies Readonly<Record<string, ListKind>>

/** Maximum number of faults of a file to show; more are counted. */
const maxShownFaults = 5

/**
 * Reads the values of a repeatable flag. Each is a list with commas, `@file`, or `-` for the standard input. Files are
 * plain lines or CSV, with or without a header, with any line ends.
 *
 * @throws UsageError that names file and line
 */
export async function readList(texts: readonly string[], kind: ListKind, world: World): Promise<readonly string[]> {
  const lists: string[][] = []
  for (const text of texts) {
    if (text === '-') lists.push(parseFile(await readInput(world), 'standard input', kind))
    else if (text.startsWith('@')) lists.push(parseFile(await readListFile(text.slice(1), kind), text.slice(1), kind))
    else lists.push(text.split(',').map((value) => requireValid(value.trim(), kind)))
  }
  return lists.flat()
}

function requireValid(value: string, kind: ListKind): string {
  const fault = value === '' ? 'a value is empty' : findFault(value, kind)
  if (fault !== undefined) throw new UsageError(`${kind.flag}: ${fault}`)
  return value
}

const findFault = (value: string, { pattern, what }: ListKind) =>
  pattern.test(value) ? undefined : `"${value}" is not ${what}`

async function readListFile(path: string, { flag }: ListKind): Promise<string> {
  try {
    return decode(await readFile(path))
  } catch (error) {
    const reason = codeOf(error) === 'ENOENT' ? 'the file does not exist' : error
    throw new UsageError(`${flag} @${path}: ${reason instanceof Error ? reason.message : reason}`)
  }
}

async function readInput({ input }: World): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of input) pieces.push(piece)
  return decode(Buffer.concat(pieces))
}

/** Spreadsheets on Windows save "Unicode text" as UTF-16, with a mark in front. */
function decode(bytes: Uint8Array): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
  return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes)
}

function parseFile(text: string, name: string, kind: ListKind): string[] {
  const lines = text.split(/\r\n|\n|\r/)
  const first = lines.findIndex((line) => line.trim() !== '')
  const header = splitCells(lines[first] ?? '').map((cell) => cell.toLowerCase().replace(/[^a-z]/g, ''))
  const column = header.findIndex((cell) => kind.columns.includes(cell))
  if (column === -1 && header.length > 1)
    throw new UsageError(`${kind.flag} ${name}: none of its columns is called ${kind.columns.slice(0, 3).join(', ')} …`)
  const values: string[] = []
  const faults: string[] = []
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '' || (column !== -1 && index === first)) continue
    const value = splitCells(line)[Math.max(0, column)] ?? ''
    const fault = value === '' ? 'there is no value' : findFault(value, kind)
    if (fault === undefined) values.push(value)
    else faults.push(`line ${index + 1}: ${fault}`)
  }
  if (faults.length > 0) throw new UsageError(`${kind.flag} ${name}: ${nameSome(faults, maxShownFaults, '; ')}`)
  if (values.length === 0) throw new UsageError(`${kind.flag} ${name}: it has no values`)
  return values
}

/** Cells of a line of CSV; spreadsheets separate by commas, semicolons or tabs. */
function splitCells(line: string): string[] {
  const cells = line.match(/(?:^|[,;\t])(?:\s*"(?:[^"]|"")*"\s*|[^,;\t]*)/g) ?? []
  return cells.map((cell) => {
    const text = cell.replace(/^[,;\t]/, '').trim()
    return /^".*"$/s.test(text) ? text.slice(1, -1).replaceAll('""', '"').trim() : text
  })
}
