import { readFile } from 'node:fs/promises'
import type { Filter } from '../../contract/filters.ts'
import { nameSome } from '../../schema/phrases.ts'
import { UsageError } from '../command-line/command-errors.ts'
import type { World } from '../command-line/world.ts'
import { codeOf } from '../errors.ts'

const flagOf = ({ option }: Filter) => `--${option}`

/** Maximum number of faults of a file to show; more are counted. */
const maxShownFaults = 5

/**
 * Reads the values of a filter's repeatable option. Each is a list with commas, `@file`, or `-` for the standard input;
 * a name is one value, whatever it contains. Files are plain lines or CSV, with or without a header, with any line
 * ends.
 *
 * @throws UsageError that names file and line
 */
export async function readList(texts: readonly string[], filter: Filter, world: World): Promise<readonly string[]> {
  const lists: string[][] = []
  for (const text of texts) {
    if (text === '-') lists.push(parseFile(await readInput(world), 'standard input', filter))
    else if (text.startsWith('@'))
      lists.push(parseFile(await readListFile(text.slice(1), filter), text.slice(1), filter))
    else
      lists.push((filter.kind === 'name' ? [text] : text.split(',')).map((value) => requireValid(value.trim(), filter)))
  }
  return lists.flat()
}

function requireValid(value: string, filter: Filter): string {
  const fault = value === '' ? 'a value is empty' : findFault(value, filter)
  if (fault !== undefined) throw new UsageError(`${flagOf(filter)}: ${fault}`)
  return value
}

const findFault = (value: string, { written, rule }: Filter) =>
  written.test(value) ? undefined : `"${value}" is not ${rule}`

async function readListFile(path: string, filter: Filter): Promise<string> {
  try {
    return decode(await readFile(path))
  } catch (error) {
    const reason = codeOf(error) === 'ENOENT' ? 'the file does not exist' : error
    throw new UsageError(`${flagOf(filter)} @${path}: ${reason instanceof Error ? reason.message : reason}`)
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

function parseFile(text: string, name: string, filter: Filter): string[] {
  const headers: readonly string[] = filter.headers
  const lines = text.split(/\r\n|\n|\r/)
  const first = lines.findIndex((line) => line.trim() !== '')
  const header = splitCells(lines[first] ?? '').map((cell) => cell.toLowerCase().replace(/[^a-z]/g, ''))
  const column = header.findIndex((cell) => headers.includes(cell))
  if (column === -1 && header.length > 1)
    throw new UsageError(`${flagOf(filter)} ${name}: none of its columns is called ${headers.slice(0, 3).join(', ')} …`)
  const values: string[] = []
  const faults: string[] = []
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '' || (column !== -1 && index === first)) continue
    const value = splitCells(line)[Math.max(0, column)] ?? ''
    const fault = value === '' ? 'there is no value' : findFault(value, filter)
    if (fault === undefined) values.push(value)
    else faults.push(`line ${index + 1}: ${fault}`)
  }
  if (faults.length > 0) throw new UsageError(`${flagOf(filter)} ${name}: ${nameSome(faults, maxShownFaults, '; ')}`)
  if (values.length === 0) throw new UsageError(`${flagOf(filter)} ${name}: it has no values`)
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
