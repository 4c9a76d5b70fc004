import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { maxBillingCodeLength } from '../../contract/limits.ts'
import { writtenNpiOrZero } from '../../contract/provider-ids.ts'
import { normaliseName } from '../../contract/texts/names.ts'
import { normaliseBillingCode } from '../../contract/texts/written-code.ts'
import type { LoadFilter } from '../../core/catalogue/load-filter.ts'
import { LoadRefused } from '../../fetch/load-refused.ts'
import { nameSome } from '../../schema/phrases.ts'

/** The paths of files with one value per line; blank lines and lines that begin with # are ignored. */
export interface FilterFiles {
  readonly codes?: string | undefined
  readonly npis?: string | undefined
  readonly networks?: string | undefined
}

/**
 * Reads a load's filter from the operator's lists.
 *
 * @returns undefined if there is no list
 * @throws LoadRefused naming the file and its first faulty lines
 */
export async function readLoadFilter(files: FilterFiles): Promise<LoadFilter | undefined> {
  const codes = await readList(files.codes, readCode, 'a billing code')
  const npis = await readList(files.npis, readNpi, '0 or an NPI of ten digits')
  const networks = await readList(files.networks, normaliseName, 'a name')
  const lists = { ...(codes && { codes }), ...(npis && { npis: npis.map(Number) }), ...(networks && { networks }) }
  if (Object.keys(lists).length === 0) return undefined
  return { id: createHash('sha256').update(JSON.stringify(lists)).digest('hex'), ...lists }
}

/** The values of a file, sorted and distinct, so that the same lists in any order are one filter. */
async function readList(
  path: string | undefined,
  read: (line: string) => string | undefined,
  expected: string,
): Promise<readonly string[] | undefined> {
  if (path === undefined) return undefined
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new LoadRefused(path, 'cannot be read', { cause })
  })
  const lines = text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((line, index) => ({ line: line.trim(), number: index + 1 }))
    .filter(({ line }) => line !== '' && !line.startsWith('#'))
    .map((each) => ({ ...each, value: read(each.line) }))
  const faults = lines.filter(({ value }) => value === undefined)
  if (faults.length > 0) {
    const lineFaults = faults.map(({ line, number }) => `line ${number} is ${JSON.stringify(line)}`)
    throw new LoadRefused(path, `each line must be ${expected}: ${nameSome(lineFaults)}`)
  }
  if (lines.length === 0) throw new LoadRefused(path, 'has no value: a load with it would keep nothing')
  return [...new Set(lines.flatMap(({ value }) => value ?? []))].sort()
}

function readCode(line: string): string | undefined {
  const code = normaliseBillingCode(line)
  return /^[^\s,;|\p{Cc}]+$/u.test(code) && code.length <= maxBillingCodeLength ? code : undefined
}

const readNpi = (line: string) => (writtenNpiOrZero.test(line) ? line : undefined)
