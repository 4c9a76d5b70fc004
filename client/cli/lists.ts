import { readFile } from 'node:fs/promises'
import { codeOf } from '../errors.ts'
import { UsageError } from './usage-error.ts'
import type { World } from './world.ts'

/** The kind of values in a list. */
export interface ListKind {
  /** The flag, for error messages. */
  readonly flag: string
  /** Accepted names of the column in a file, in lower case and without other characters. */
  readonly columns: readonly string[]
  /** The value, or why it is not valid. */
  readonly check: (text: string) => { readonly fault: string } | undefined
}

export const npiList: ListKind = {
  flag: '--npi',
  columns: ['npi', 'npis', 'npinumber', 'providernpi', 'nationalprovideridentifier'],
  check: (text) => (/^(0|[1-9]\d{9})$/.test(text) ? undefined : { fault: `"${text}" is not an NPI: ten digits, or 0` }),
}

export const codeList: ListKind = {
  flag: '--code',
  columns: ['code', 'codes', 'billingcode', 'billingcodes', 'procedurecode', 'cpt', 'cptcode', 'hcpcs', 'hcpcscode'],
  check: () => undefined,
}

export const tinList: ListKind = {
  flag: '--tin',
  columns: ['tin', 'tins', 'taxid', 'taxidentificationnumber', 'ein', 'tinvalue'],
  check: (text) =>
    /^\d[\d-]{0,18}\d$/.test(text) ? undefined : { fault: `"${text}" is not a TIN: 2 to 20 digits and hyphens` },
}

/** Maximum number of faults of a file to show; more are counted. */
const maxShownFaults = 5

/**
 * Reads the values of a repeatable flag. Each is a list with commas, `@file`, or `-` for the standard input. Files are
 * plain lines or CSV, with or without a header, with any line ends.
 *
 * @throws UsageError that names file and line
 */
export async function readList(given: readonly string[], kind: ListKind, world: World): Promise<readonly string[]> {
  const lists: string[][] = []
  for (const text of given) {
    if (text === '-') lists.push(parseFile(await readInput(world), 'standard input', kind))
    else if (text.startsWith('@')) lists.push(parseFile(await readNamed(text.slice(1), kind), text.slice(1), kind))
    else lists.push(text.split(',').map((value) => checked(value.trim(), kind)))
  }
  return lists.flat()
}

function checked(value: string, { flag, check }: ListKind): string {
  const fault = value === '' ? { fault: 'a value is empty' } : check(value)
  if (fault !== undefined) throw new UsageError(`${flag}: ${fault.fault}`)
  return value
}

async function readNamed(path: string, { flag }: ListKind): Promise<string> {
  try {
    return decode(await readFile(path))
  } catch (error) {
    const reason = codeOf(error) === 'ENOENT' ? 'there is no such file' : error
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
  const named = header.findIndex((cell) => kind.columns.includes(cell))
  if (named === -1 && header.length > 1)
    throw new UsageError(`${kind.flag} ${name}: none of its columns is called ${kind.columns.slice(0, 3).join(', ')} …`)
  const values: string[] = []
  const faults: string[] = []
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '' || (named !== -1 && index === first)) continue
    const value = splitCells(line)[Math.max(0, named)] ?? ''
    const fault = value === '' ? { fault: 'there is no value' } : kind.check(value)
    if (fault === undefined) values.push(value)
    else faults.push(`line ${index + 1}: ${fault.fault}`)
  }
  if (faults.length > 0) {
    const more = faults.length > maxShownFaults ? `; and ${faults.length - maxShownFaults} more` : ''
    throw new UsageError(`${kind.flag} ${name}: ${faults.slice(0, maxShownFaults).join('; ')}${more}`)
  }
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
