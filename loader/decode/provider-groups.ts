import type { Findings } from './findings.ts'
import { isNumber, type PublishedNumber, parseNumber } from './json/published-number.ts'
import type { PublishedObject } from './published-object.ts'
import { parseExactRate } from './values/exact-rate.ts'
import { readListedValue } from './values/known-values.ts'

/** Takes provider groups: the NPIs of each TIN, and then the TIN. */
export interface OpenGroup {
  /** Gives texts in UTF-8 their numbers. */
  readonly texts: { addBytes(source: Uint8Array, start: number, end: number): number; add(text: string): number }
  readonly npis: { push(npi: number): void }
  /** Adds a TIN with the NPIs that were added since the last one; each NPI is kept once, and a TIN without any is not. */
  addTin(type: number, value: number, name: number | undefined): void
  /** Removes what was added since the group was opened. */
  dropOpen(): unknown
}

/** An inline group's number; `left out` if the filter keeps none of it, undefined if it has no provider. */
export type InlineGroup = number | 'left out' | undefined

/** Takes the inline groups of prices. */
export interface InlineTaker {
  readonly store: OpenGroup
  /** Ends the open group. */
  end(): InlineGroup
}

/**
 * Adds elements of `provider_groups`, of a reference, a price or a file of provider groups. An NPI counts once within one
 * TIN; the same NPI under another TIN or business name is another member. A group without a readable TIN is skipped with
 * its NPIs.
 *
 * @param beside the name of the business of TINs that name none
 * @returns whether it is that of any
 */
export function addProviderGroups(
  groups: Iterable<PublishedObject | undefined>,
  open: OpenGroup,
  findings: Findings,
  beside?: string,
): boolean {
  const { units } = findings
  let isUsed = false
  for (const group of groups) {
    units.groups.published++
    group?.countUnknown(groupFields)
    // A TIN with an empty list says what the schema writes as [0]; without a list, the group says nothing.
    const isWhole = group?.array('npi')?.length === 0
    const npis = isWhole ? [0] : (group?.list('npi') ?? [])
    units.npis.published += npis.length
    const tin = group && npis.length > 0 ? readTin(group) : undefined
    if (group === undefined || tin === undefined || tin.value === '') {
      if (group !== undefined && npis.length === 0) group.count('unfit-group', 'npi')
      else group?.count('unfit-tin', 'tin')
      units.groups.skipped++
      units.npis.skipped += npis.length
      continue
    }
    if (tin.finding !== undefined) group.count(tin.finding, 'tin.type')
    for (let index = 0; index < npis.length; index++) {
      const npi = readNpi(npis[index])
      if (npi !== undefined) open.npis.push(npi)
      else {
        group.count('unfit-npi', 'npi', index)
        units.npis.skipped++
      }
    }
    if (isWhole) group.count('whole-tin', 'npi')
    const { type, value } = tin
    const own = tin.name === undefined ? group.optionalText('business_name') : undefined
    if (own !== undefined) group.count('name-beside', 'business_name')
    const name = tin.name ?? own ?? beside
    isUsed ||= name !== undefined && tin.name === undefined && own === undefined
    open.addTin(open.texts.add(type), open.texts.add(value), name === undefined ? undefined : open.texts.add(name))
  }
  return isUsed
}

const groupFields: ReadonlySet<string> = new Set(['npi', 'tin', 'business_name'])
const tinFields: ReadonlySet<string> = new Set(['type', 'value', 'business_name'])

/** Publishers write an EIN with its hyphen and without. Source: CMS schema, `tin.value`. */
function readTin(group: PublishedObject) {
  const tin = group.object('tin')
  tin?.countUnknown(tinFields)
  const published = tin?.text('type')
  if (tin === undefined || published === undefined) return undefined
  const value = tin.text('value') ?? readIdNumber(tin, 'value', published)
  if (value === undefined) return undefined
  const name = tin.optionalText('business_name')
  const { value: type, finding } = readListedValue('type', published)
  return { type: type.trim().toLowerCase(), value: value.replace(/\D/g, ''), name, finding }
}

/** Number of digits in an employer identification number. Source: IRS, "Employer identification number". */
const einDigits = 9

/** An id that the file writes as a number, which has no leading zeros. */
export function readIdNumber(part: PublishedObject, field: string, type: string | undefined): string | undefined {
  const digits = part.digits(field)
  return type?.trim().toLowerCase() === 'ein' ? digits?.padStart(einDigits, '0') : digits
}

/**
 * Reads an NPI: ten digits, or 0 for a whole TIN, as a number or as a text that is one. Its check digit is not looked at,
 * since even the examples of CMS fail it, and a rate is worth more than its check digit.
 */
function readNpi(value: unknown): number | undefined {
  const number = typeof value === 'string' ? parseNumber(value) : isNumber(value) ? value : undefined
  const npi = typeof number === 'object' ? readExactInteger(number) : number
  if (npi === undefined || npi === 0) return npi
  return Number.isInteger(npi) && npi >= 1_000_000_000 && npi <= 9_999_999_999 ? npi : undefined
}

/** On the characters: a float would read 1e-400 as 0, and 1000000001.00000001 as an NPI. */
function readExactInteger({ characters }: PublishedNumber): number | undefined {
  const exact = parseExactRate(characters)
  if (exact === undefined || exact.rounded || exact.tenThousandths % 10_000n !== 0n) return undefined
  return Number(exact.tenThousandths / 10_000n)
}
